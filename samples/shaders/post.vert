#version 450
// One triangle that covers the screen, from nothing but the vertex' number.
#ifdef VULKAN
#define VERTEX gl_VertexIndex
#else
#define VERTEX gl_VertexID
#endif

void main()
{
    vec2 corner = vec2(float((VERTEX << 1) & 2), float(VERTEX & 2));
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
