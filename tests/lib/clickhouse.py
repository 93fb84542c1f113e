"""Servers of ClickHouse for tests: Debian's `clickhouse-server` on loopback, with ports and a data folder of their own. They
are started from the test and end with it; no service of the machine is touched. Several of them make a cluster."""
import hashlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from harness import Skip, environment, need, need_file

HOST = "127.0.0.1"
SYSTEM_PATH = "/usr/sbin:/usr/local/sbin"  # which PATH of a user may lack
WRITER, READER = "passprobe", "reader"  # the second one cannot change anything
START_SECONDS = 120
BOUNDARY = "a-line-that-no-row-has-7d1f0c"
STARTS = 5  # another process may take a free port before the server does


class QueryError(AssertionError):
    """What the server answered instead of a result."""

    def __init__(self, status, text, query):
        super().__init__(f"HTTP {status}: {text.strip()}\nin: {query[:2000]}")
        self.status, self.text = status, text


def find_server():
    """The words that start a server. Skips where there is none."""
    path = shutil.which("clickhouse-server") or shutil.which("clickhouse-server", path=SYSTEM_PATH)
    if path:
        return [path]
    raise Skip("clickhouse-server is not installed (Debian's package of that name)")


def find_tool(name):
    """The words that start `clickhouse-NAME`, such as client or local. Skips where there is none."""
    path = shutil.which("clickhouse-" + name)
    if path:
        return [path]
    raise Skip(f"clickhouse-{name} is not installed (Debian's package clickhouse-client)")


def free_ports(count):
    """Ports of loopback that are free now."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind((HOST, 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


@dataclass
class Ports:
    """Where a server listens."""
    http: int
    native: int
    between: int  # for the other servers of a cluster
    https: int

    @classmethod
    def free(cls):
        return cls(*free_ports(4))


@dataclass
class Place:
    """One server of a cluster."""
    shard: int
    replica: int
    ports: Ports = field(default_factory=Ports.free)


def make_certificate(folder):
    """A certificate for loopback that signs itself. @return its path, and that of its key."""
    if not shutil.which("openssl"):
        raise Skip("openssl is not installed")
    paths = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    if not os.path.exists(paths[0]):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,IP:{HOST}", "-out", paths[0],
                        "-keyout", paths[1]], check=True, capture_output=True)
    return paths


class Server:
    """One server.

    @param folder  its data, logs and settings; made if it is missing. A server that is started again finds its data.
    @param cluster the servers of the cluster `fleet`, this one among them
    @param place   which of them this one is
    @param keepers ports of ZooKeeper on loopback, for replicated tables
    @param tls     listen for HTTPS, too: attribute `certificate` has what a client must trust
    """

    def __init__(self, folder, cluster=(), place=None, keepers=(), tls=False):
        self.program = find_server()
        self.folder, self.cluster, self.place, self.keepers = folder, list(cluster), place, list(keepers)
        self.password, self.process = "correct horse & <battery>", None
        os.makedirs(folder, exist_ok=True)
        self.certificate, self.key = make_certificate(folder) if tls else (None, None)
        self.ports = place.ports if place else Ports.free()

    # settings

    def cluster_settings(self):
        shards = {}
        for place in self.cluster:
            shards.setdefault(place.shard, []).append(
                f"<replica><host>{HOST}</host><port>{place.ports.native}</port><user>{WRITER}</user>"
                f"<password>{escape(self.password)}</password></replica>")
        lines = [f"<shard><internal_replication>true</internal_replication>{''.join(r)}</shard>" for r in shards.values()]
        text = f"<remote_servers><fleet>{''.join(lines)}</fleet></remote_servers>" if lines else ""
        if self.place:
            text += (f"<macros><shard>{self.place.shard}</shard><replica>r{self.place.replica}</replica></macros>"
                     f"<interserver_http_port>{self.ports.between}</interserver_http_port>"
                     f"<interserver_http_host>{HOST}</interserver_http_host>"
                     "<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>")
        if self.keepers:
            nodes = "".join(f"<node><host>{HOST}</host><port>{port}</port></node>" for port in self.keepers)
            text += f"<zookeeper>{nodes}</zookeeper>"
        return text

    def tls_settings(self):
        if not self.certificate:
            return ""
        return (f"<https_port>{self.ports.https}</https_port><openSSL><server>"
                f"<certificateFile>{self.certificate}</certificateFile><privateKeyFile>{self.key}</privateKeyFile>"
                "<verificationMode>none</verificationMode><cacheSessions>true</cacheSessions>"
                "<disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>")

    def write_settings(self):
        at = lambda *names: os.path.join(self.folder, *names)
        hidden = hashlib.sha256(self.password.encode()).hexdigest()
        with open(at("config.xml"), "w", encoding="utf-8") as out:
            out.write(f"""<yandex>
<logger><level>information</level><log>{at('server.log')}</log><errorlog>{at('errors.log')}</errorlog></logger>
<listen_host>{HOST}</listen_host><http_port>{self.ports.http}</http_port><tcp_port>{self.ports.native}</tcp_port>
<path>{at('data')}/</path><tmp_path>{at('tmp')}/</tmp_path><user_files_path>{at('files')}/</user_files_path>
<format_schema_path>{at('schemas')}/</format_schema_path><users_config>{at('users.xml')}</users_config>
<default_profile>default</default_profile><default_database>default</default_database><timezone>UTC</timezone>
<mark_cache_size>268435456</mark_cache_size><max_concurrent_queries>100</max_concurrent_queries>
{self.cluster_settings()}{self.tls_settings()}
</yandex>
""")
        user = lambda name, profile: (
            f"<{name}><password_sha256_hex>{hidden}</password_sha256_hex><networks><ip>127.0.0.0/8</ip></networks>"
            f"<profile>{profile}</profile><quota>default</quota></{name}>")
        with open(at("users.xml"), "w", encoding="utf-8") as out:
            out.write(f"""<yandex>
<profiles><default><max_memory_usage>6000000000</max_memory_usage></default>
<looks><readonly>1</readonly></looks></profiles>
<users>{user(WRITER, 'default')}{user(READER, 'looks')}</users><quotas><default></default></quotas>
</yandex>
""")

    # life

    def launch(self):
        self.write_settings()
        with open(os.path.join(self.folder, "output.log"), "ab") as out:
            self.process = subprocess.Popen([*self.program, f"--config-file={self.folder}/config.xml"], cwd=self.folder,
                                            env=environment("XDG_"), stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def wait(self):
        """Wait until the server answers. @return whether it does; False: its process has ended."""
        end = time.monotonic() + START_SECONDS
        while self.process.poll() is None:
            if self.answers():
                return True
            if time.monotonic() > end:
                raise AssertionError(f"the server does not answer:\n{self.log()}")
            time.sleep(0.05)
        return False

    def answers(self):
        """Does the server answer now?"""
        connection = http.client.HTTPConnection(HOST, self.ports.http, timeout=5)
        try:
            connection.request("GET", "/ping")
            return connection.getresponse().read() == b"Ok.\n"
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def start(self):
        """Start the server and wait until it answers; a server that was stopped or killed starts again."""
        for _ in range(STARTS):
            self.launch()
            if self.wait():
                return self
            if self.place or "Address already in use" not in self.log():
                break
            self.ports = Ports.free()
        raise AssertionError(f"the server has ended:\n{self.log()}")

    def log(self):
        """The end of what the server wrote."""
        text = ""
        for name in ("output.log", "errors.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()[-3000:]
        return text

    def end(self, how):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self):
        """End the server as its service does."""
        self.end(signal.SIGTERM)

    def kill(self):
        """End the server as a crash or a power failure does."""
        self.end(signal.SIGKILL)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    # questions

    def url(self, database="default", user=WRITER, tls=False):
        """The address as `passprobe push` takes it, without a password."""
        return f"clickhouse{'s' if tls else ''}://{user}@{HOST}:{self.ports.https if tls else self.ports.http}/{database}"

    def query(self, text, data=None, user=WRITER, password=None, database="default", tls=False, ask=None, **settings):
        """Send a query. @param data rows of an INSERT, bytes. @param ask pairs (key, value) of the table `ask`, which a
        question reads. @return the answer as text."""
        words = {"database": database, **settings}
        headers = {"X-ClickHouse-User": user, "X-ClickHouse-Key": self.password if password is None else password}
        if ask is not None:
            data, headers["Content-Type"] = form_of("ask", ask)
            words["ask_structure"] = "key String, value String"
        if data is not None:
            words["query"] = text
        if tls:
            trust = ssl.create_default_context(cafile=self.certificate)
            connection = http.client.HTTPSConnection(HOST, self.ports.https, timeout=600, context=trust)
        else:
            connection = http.client.HTTPConnection(HOST, self.ports.http, timeout=600)
        try:
            connection.request("POST", "/?" + urllib.parse.urlencode(words), text.encode() if data is None else data, headers)
            answer = connection.getresponse()
            body = answer.read().decode("utf-8", "replace")
        finally:
            connection.close()
        if answer.status != 200:
            raise QueryError(answer.status, body, text)
        return body

    def rows(self, text, **more):
        """The answer as a list of lists of text; \\N is NULL."""
        return [line.split("\t") for line in self.query(text + " FORMAT TabSeparated", **more).splitlines()]

    def value(self, text, **more):
        """The only value of the answer."""
        [[value]] = self.rows(text, **more)
        return value


def statements(sql):
    """The statements of a file of SQL: its lines of comment are left out, a semicolon at the end of a line ends one."""
    lines = [line for line in sql.splitlines() if not line.lstrip().startswith("--")]
    parts = "\n".join(lines).replace(";\n", ";\0").rstrip().rstrip(";").split(";\0")
    return [part.strip() for part in parts if part.strip()]


def question(path):
    """The only statement of a file of SQL, on one line: it travels in an address."""
    with open(path, encoding="utf-8") as file:
        [text] = statements(file.read())
    return " ".join(text.split())


def form_of(name, pairs):
    """Rows of two cells as a file of a form. @return the body, and its type."""
    escaped = lambda cell: cell.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
    rows = "".join(f"{escaped(key)}\t{escaped(value)}\n" for key, value in pairs)
    body = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.tsv"\r\n'
            f"Content-Type: text/tab-separated-values\r\n\r\n{rows}\r\n--{BOUNDARY}--\r\n")
    return body.encode(), f"multipart/form-data; boundary={BOUNDARY}"


class Cluster:
    """Servers that know each other as the cluster `fleet`. @param shards, replicas how many; they are not started yet."""

    def __init__(self, folder, shards, replicas=1, keepers=()):
        self.places = [Place(shard, replica) for shard in range(1, shards + 1) for replica in range(1, replicas + 1)]
        self.servers = [Server(os.path.join(folder, f"shard{place.shard}r{place.replica}"), self.places, place, keepers)
                        for place in self.places]

    def __enter__(self):
        for server in self.servers:
            server.launch()
        for server in self.servers:
            if not server.wait():
                log = server.log()
                self.__exit__()
                raise AssertionError(f"a server of the cluster has ended:\n{log}")
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.stop()


class Keeper:
    """ZooKeeper on loopback, which coordinates replicated tables. @param folder what it keeps"""

    def __init__(self, folder):
        need("java")
        need_file("/usr/share/java/zookeeper.jar", "zookeeper (Debian's package of that name)")
        self.folder, [self.port] = folder, free_ports(1)
        os.makedirs(folder, exist_ok=True)

    def answers(self):
        """Is the server ready?"""
        try:
            with socket.create_connection((HOST, self.port), timeout=5) as connection:
                connection.sendall(b"srvr")
                return b"Mode:" in connection.recv(4096)
        except OSError:
            return False

    def __enter__(self):
        with open(os.path.join(self.folder, "zoo.cfg"), "w", encoding="utf-8") as out:
            out.write(f"tickTime=2000\ndataDir={self.folder}/data\nclientPort={self.port}\nclientPortAddress={HOST}\n"
                      "admin.enableServer=false\n")
        with open(os.path.join(self.folder, "output.log"), "wb") as out:
            self.process = subprocess.Popen(["java", "-Xmx256m", "-cp", "/etc/zookeeper/conf:/usr/share/java/zookeeper.jar",
                                             "-Dzookeeper.root.logger=WARN,CONSOLE",
                                             "org.apache.zookeeper.server.ZooKeeperServerMain", f"{self.folder}/zoo.cfg"],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        end = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                with open(os.path.join(self.folder, "output.log"), encoding="utf-8", errors="replace") as file:
                    raise AssertionError("ZooKeeper does not answer:\n" + file.read()[-3000:])
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
