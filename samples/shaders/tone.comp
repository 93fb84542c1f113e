#version 450
// Edges of the scene, one invocation for each pixel.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 2) uniform sampler2D scene;
layout(rgba16f, binding = 3) uniform writeonly highp image2D toned;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 last = textureSize(scene, 0) - 1;
    vec3 here = texelFetch(scene, at, 0).rgb;
    vec3 next = texelFetch(scene, min(at + 1, last), 0).rgb;
    imageStore(toned, at, vec4(here + abs(here - next), 1.0));
}
