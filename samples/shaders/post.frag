#version 450
layout(location = 0) out vec4 pixel;
layout(binding = 4) uniform sampler2D toned;

void main()
{
    vec3 value = texelFetch(toned, ivec2(gl_FragCoord.xy), 0).rgb;
    pixel = vec4(value / (1.0 + value), 1.0);
}
