#version 450
// OpenGL ES wants a fragment shader even where only depth is written.
void main()
{
}
