#version 450
layout(location = 0) out vec4 pixel;

void main()
{
    vec2 at = gl_FragCoord.xy;
    for (int i = 0; i < 6; i++)
        at = fract(at.yx * 1.37 + 0.11);
    pixel = vec4(at, 0.5, 1.0) * 0.01;
}
