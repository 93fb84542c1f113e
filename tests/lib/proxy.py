"""A proxy in front of a server on loopback that fails at a chosen byte, or holds a chosen request."""
import socket
import threading

SIZE = 65536


class Proxy:
    """Passes connections on to a port of loopback until a chosen moment.

    @param cut_up, cut_down  bytes from clients, or to them, after which all connections break; None: never
    @param hold              bytes of a request that waits before it is passed on until release() is called
    @param swallow           bytes of a request whose answer is not passed on: its connection breaks, once
    """

    def __init__(self, port, cut_up=None, cut_down=None, hold=None, swallow=None):
        self.target, self.cut_up, self.cut_down, self.hold, self.swallow = port, cut_up, cut_down, hold, swallow
        self.swallowing = None  # the connection whose next answer is not passed on
        self.up = self.down = 0  # bytes so far
        self.broken = False
        self.held, self.released, self.cut = threading.Event(), threading.Event(), threading.Event()
        self.lock, self.sockets, self.threads = threading.Lock(), [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        self.start(self.accept)
        return self

    def __exit__(self, *_):
        self.break_all()
        self.released.set()
        self.listener.close()
        for thread in self.threads:
            thread.join(30)

    def start(self, function, *args):
        thread = threading.Thread(target=function, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def release(self):
        """Pass the request on that was held, and all others."""
        self.released.set()

    def break_all(self):
        """Break all connections, and accept no more."""
        with self.lock:
            self.broken = True
            sockets, self.sockets = self.sockets, []
        for one in [self.listener, *sockets]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for one in sockets:
            one.close()
        self.cut.set()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            with self.lock:
                if self.broken:
                    client.close()
                    server.close()
                    return
                self.sockets += [client, server]
            self.start(self.pass_on, client, server, True)
            self.start(self.pass_on, server, client, False)

    def allowed(self, up, size):
        """How many of @p size bytes may pass."""
        most = self.cut_up if up else self.cut_down
        with self.lock:
            so_far = self.up if up else self.down
            size = size if most is None else max(0, min(size, most - so_far))
            if up:
                self.up += size
            else:
                self.down += size
        return size

    def pass_on(self, source, target, up):
        seen = b""
        try:
            while True:
                data = source.recv(SIZE)
                if not data:
                    break
                if up and self.hold and not self.released.is_set():
                    seen = (seen + data)[-SIZE - len(self.hold):]
                    if self.hold in seen:
                        self.held.set()
                        self.released.wait(60)
                        if self.broken:
                            return
                if up and self.swallow and self.swallow in data:
                    self.swallow, self.swallowing = None, source
                if not up and target is self.swallowing:
                    break
                passing = self.allowed(up, len(data))
                target.sendall(data[:passing])
                if passing < len(data):
                    self.break_all()
                    return
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
