#version 450
// Depth of the boxes as the light sees them: shifted the more the nearer they are.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 rect; // left, top, right, bottom in clip space
layout(location = 2) in vec4 look; // red, green, blue, depth
layout(std140, binding = 0) uniform frame_block {
    vec4 tint;
    vec4 light; // xy: shift between eye and light at depth 0, in clip space
};

void main()
{
    gl_Position = vec4(mix(rect.xy, rect.zw, corner) + light.xy * (1.0 - look.w), look.w, 1.0);
}
