// A triangle over all of the target, by the numbers of its vertices: as a SPIR-V module of OpenGL's.
#version 450
void main()
{
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
