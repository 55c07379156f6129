"""servers.py - servers on the loopback: Debian's debuginfod, and ones of no good.

SPDX-License-Identifier: MIT
"""
import http.server
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Debuginfod:
    """The real one, with the programs below a folder."""

    def __init__(self, folder, build_id):
        self.url = 'http://127.0.0.1:%d' % free_port()
        self.server = subprocess.Popen(
            ['debuginfod', '-F', '-d', ':memory:', '-p', self.url.rsplit(':', 1)[1], folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            env={'PATH': os.environ['PATH'], 'HOME': folder})
        for _ in range(200):
            try:
                with urllib.request.urlopen('%s/buildid/%s/executable' % (self.url, build_id)):
                    return
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise AssertionError('debuginfod does not have ' + build_id)

    def stop(self):
        self.server.kill()
        self.server.wait()

    @staticmethod
    def is_here():
        return shutil.which('debuginfod') is not None


class Hostile:
    """answer(handler): whatever it does.  asked: paths that were asked for."""

    def __init__(self, answer):
        asked = self.asked = []
        self.stopped = stopped = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            stop = stopped

            def do_GET(self):
                asked.append(self.path)
                try:
                    answer(self)
                except OSError:  # the client has gone
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = 'http://127.0.0.1:%d' % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()


def nothing(h):
    """Takes the question, and says nothing."""
    h.stop.wait(60)


def silent_body(h):
    h.send_response(200)
    h.send_header('Content-Length', '100000')
    h.end_headers()
    h.stop.wait(60)


def sends(body, length=None):
    def answer(h):
        h.send_response(200)
        h.send_header('Content-Length', str(len(body) if length is None else length))
        h.end_headers()
        h.wfile.write(body)
    return answer


def endless(h):
    """Ten gigabytes were announced, or nothing was, and it never ends."""
    h.send_response(200)
    if h.path.endswith('0/executable'):
        h.send_header('Content-Length', str(10 << 30))
    h.end_headers()
    while not h.stop.is_set():
        h.wfile.write(bytes(1 << 16))


def leads_to(where):
    def answer(h):
        h.send_response(302)
        h.send_header('Location', where or h.path)
        h.send_header('Content-Length', '0')
        h.end_headers()
    return answer


def fails(h):
    h.send_error(500)
