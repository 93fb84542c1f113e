#version 450
layout(location = 0) in vec3 colour;
layout(location = 1) in vec3 shadow_at;
layout(location = 0) out vec4 pixel;
layout(binding = 1) uniform sampler2DShadow shadow_map;

void main()
{
    float lit = texture(shadow_map, shadow_at - vec3(0.0, 0.0, 0.01));
    pixel = vec4(colour * mix(0.35, 1.0, lit), 1.0);
}
