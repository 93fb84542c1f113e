// One color, which whoever specializes the module may change.
#version 450
layout(constant_id = 3) const float green = 0.25;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(1.0, green, 0.0, 1.0);
}
