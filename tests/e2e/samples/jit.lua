-- An application whose draws are in code that LuaJIT makes: it draws by EGL and OpenGL through the FFI, in a loop that is
-- compiled, and prints a pixel.
local ffi = require "ffi"
ffi.cdef [[
void *eglGetPlatformDisplay(unsigned platform, void *native, const intptr_t *attributes);
unsigned eglInitialize(void *display, int *major, int *minor);
unsigned eglChooseConfig(void *display, const int *attributes, void **configs, int size, int *count);
unsigned eglBindAPI(unsigned api);
void *eglCreateContext(void *display, void *config, void *share, const int *attributes);
void *eglCreatePbufferSurface(void *display, void *config, const int *attributes);
unsigned eglMakeCurrent(void *display, void *draw, void *read, void *context);
unsigned eglSwapBuffers(void *display, void *surface);
void glClear(unsigned mask);
void glClearColor(float red, float green, float blue, float alpha);
void glEnableClientState(unsigned array);
void glVertexPointer(int size, unsigned type, int stride, const void *pointer);
void glDrawArrays(unsigned mode, int first, int count);
void glReadPixels(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels);
]]
local egl, gl = ffi.load "EGL.so.1", ffi.load "GL.so.1"
local display = egl.eglGetPlatformDisplay(0x31DD, nil, nil) -- surfaceless
local config, count = ffi.new "void *[1]", ffi.new "int[1]"
local ok = display ~= nil and egl.eglInitialize(display, nil, nil) == 1
    and egl.eglChooseConfig(display, ffi.new("int[5]", 0x3033, 1, 0x3040, 8, 0x3038), config, 1, count) == 1
    and count[0] == 1 and egl.eglBindAPI(0x30A2) == 1
local context = ok and egl.eglCreateContext(display, config[0], nil, nil)
local surface = ok and egl.eglCreatePbufferSurface(display, config[0], ffi.new("int[5]", 0x3057, 64, 0x3056, 64, 0x3038))
if not ok or context == nil or surface == nil or egl.eglMakeCurrent(display, surface, surface, context) ~= 1 then
    print "no context"
    os.exit(77)
end
local triangle = ffi.new("float[6]", { -1, -1, 1, -1, 0, 1 })
gl.glEnableClientState(0x8074)
gl.glVertexPointer(2, 0x1406, 0, triangle)

local function draw_many(draws)
    for _ = 1, draws do
        gl.glDrawArrays(4, 0, 3)
    end
end

for _ = 1, 40 do
    gl.glClear(0x4000)
    draw_many(30)
    egl.eglSwapBuffers(display, surface)
end
local pixel = ffi.new "unsigned char[4]"
gl.glReadPixels(32, 16, 1, 1, 0x1908, 0x1401, pixel)
print("pixel", pixel[0], pixel[1], pixel[2])
