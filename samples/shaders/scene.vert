#version 450
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 rect; // left, top, right, bottom in clip space
layout(location = 2) in vec4 look; // red, green, blue, depth
layout(location = 0) out vec3 colour;
layout(location = 1) out vec3 shadow_at;
layout(std140, binding = 0) uniform frame_block {
    vec4 tint;
    vec4 light; // xy: shift between eye and light at depth 0, in clip space
};

void main()
{
    vec2 at = mix(rect.xy, rect.zw, corner);
    gl_Position = vec4(at, look.w, 1.0);
    colour = look.rgb * tint.rgb;
    shadow_at = vec3((at + light.xy * (1.0 - look.w)) * 0.5 + 0.5, look.w);
#ifndef VULKAN // the depth buffer of GL holds -1..1 as 0..1
    shadow_at.z = look.w * 0.5 + 0.5;
#endif
}
