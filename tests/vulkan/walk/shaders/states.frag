#version 450
layout(push_constant) uniform Pushed { vec4 base; vec4 more; };
layout(location = 0) out vec4 color;
void main()
{
    color = base + 0.5 * more;
}
