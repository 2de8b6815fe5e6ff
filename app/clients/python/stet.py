"""Runs Stet's test double in tests. A single file without dependencies, for Python 3.8 and later, that you can copy.

    def test_retries(stet):  # a fixture of pytest; for other frameworks, see StetFixture
        app = App(templates=stet.base_url, key="stet-test-key")
        stet.add_fault(status=500, times=2)
        ...

The fixtures need this line in conftest.py, or the installed package:

    pytest_plugins = ["stet"]
"""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, List, Optional, Sequence

DATA = "src/test/stet"
JARS = (os.path.join(os.path.dirname(os.path.abspath(__file__)), "stet.jar"), "stet.jar", "target/stet.jar", "/usr/share/stet/stet.jar")
# With only the first JIT compiler and the serial collector, short-lived processes start faster.
FAST_START = ["-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=5", "-XX:+UseSerialGC", "-Xms64m"]
READY = "STET_READY url="
STOP_SECONDS = 30
MAX_LINES = 100  # of output kept for the error message

# pytest and unittest leave out this file's frames, so a failure points to the test.
__tracebackhide__ = True
__unittest = True


class StetError(Exception):
    """Raised with Stet's message when a control or the start fails."""


class StetFixture:
    """A running test double. It exits on stop(), at the end of its "with" block, or when this process exits.

        with StetFixture("tests/stet") as server:
            app = App(templates=server.base_url, key="stet-test-key")

    "data" is the folder of one or more accounts, relative to the working directory, by default src/test/stet.
    "jar" defaults to the path in STET_JAR, or to stet.jar beside this file, in the working directory, in target, or in
    the installation folder of the Debian package. "java" defaults to the path in JAVA, JAVA_HOME/bin/java, or java on
    the PATH. "options" are passed to "stet fixture". An empty string counts as missing.
    """

    def __init__(self, data: Optional[str] = None, jar: Optional[str] = None, java: Optional[str] = None, options: Sequence[str] = (),
                 timeout: float = 30) -> None:
        self._process = _started([_java(java), *FAST_START, "-jar", _jar(jar), "fixture", str(data or DATA), "--with-parent", *options])
        self._errors: List[str] = []
        self._output: List[str] = []  # a JVM that cannot start reports this on stdout
        self._is_ready = False
        self._lock = threading.Lock()
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()
        #: URL of the double, http://127.0.0.1:PORT
        self.url: str = self._wait_for_url(timeout)
        #: Base URL for the app under test, http://127.0.0.1:PORT/api/v1
        self.base_url: str = self.url + "/api/v1"
        with self._lock:
            sys.stderr.write("".join(self._errors))
            self._is_ready = True
        # Ignore proxy settings, which do not apply to loopback addresses.
        self._http = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def _wait_for_url(self, timeout: float) -> str:
        """Returns the URL that the double prints when it is ready. Kills the double if it does not start."""
        ready: "queue.Queue[Optional[str]]" = queue.Queue()
        threading.Thread(target=self._read, args=(ready,), daemon=True).start()
        try:
            url = ready.get(timeout=timeout)
            problem = "" if url else self._wait_for_exit()
        except queue.Empty:
            url = None
            problem = "it was not ready within %s seconds" % timeout
        if url:
            return url
        self._process.kill()
        self._process.wait()
        self._error_reader.join(STOP_SECONDS)
        self._close_pipes()
        raise StetError("The test double did not start: %s\n%s" % (problem, "".join(self._output + self._errors)))

    def _wait_for_exit(self) -> str:
        """Says how the double ended after it closed its output."""
        try:
            return "it exited with code %d" % self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its output"

    def _read(self, ready: "queue.Queue[Optional[str]]") -> None:
        """Puts the URL into the queue when the double is ready, and None when its output ends."""
        for line in self._process.stdout:
            if line.startswith(READY):
                ready.put(line[len(READY):].strip())
            else:
                self._output = self._output[1 - MAX_LINES:] + [line]
        ready.put(None)

    def _read_errors(self) -> None:
        """Keeps the last lines of stderr, and shows all lines between the start and the end."""
        for line in self._process.stderr:
            with self._lock:
                self._errors = self._errors[1 - MAX_LINES:] + [line]
                if self._is_ready and not self._process.stdin.closed:
                    sys.stderr.write(line)

    def __enter__(self) -> "StetFixture":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops the double and waits for it to exit. Further calls do nothing."""
        if self._process.stdin.closed:
            return
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._error_reader.join(STOP_SECONDS)
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request to the control at /_fixture + path (controls.md). Returns the JSON response, or None if it has no body."""
        request = urllib.request.Request(self.url + "/_fixture" + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode("utf-8")
            request.add_header("Content-Type", "application/json")
        try:
            with self._http.open(request) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as refused:
            with refused:
                text = refused.read().decode("utf-8", "replace")
            try:
                text = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                pass  # The response is not JSON.
            failure = AssertionError if refused.code == 417 else StetError
            raise failure("%s /_fixture%s: %d %s" % (method, path, refused.code, text)) from None

    def reset(self, account: Optional[str] = None) -> None:
        """Restores the initial data, clocks, faults and journal of all accounts or one account."""
        self.control("POST", "/reset" if account is None else _account(account) + "/reset")

    def clock(self, account: Optional[str] = None) -> Dict[str, Any]:
        """Returns the shared clock or an account's clock."""
        return self.control("GET", "/clock" + _query(account=account))

    def set_clock(self, now: Optional[str] = None, offset: Optional[str] = None, from_: Optional[str] = None,
                  account: Optional[str] = None) -> Dict[str, Any]:
        """Stops the clock at now="2026-02-01T00:00:00Z", starts it at from_=..., or sets it ahead by offset="P30D".

        "account" selects one account's clock.
        """
        return self.control("PUT", "/clock", _given(now=now, offset=offset, account=account, **{"from": from_}))

    def advance(self, by: str, account: Optional[str] = None) -> Dict[str, Any]:
        """Moves the clock forward by a duration such as P30D. "account" selects one account's clock."""
        return self.control("POST", "/clock/advance", _given(by=by, account=account))

    def advance_to_period_end(self, account: str) -> Dict[str, Any]:
        """Moves an account's clock to the start of its next period."""
        return self.control("POST", "/clock/advance", {"to": "periodEnd", "account": account})

    def restart_clock(self, account: Optional[str] = None) -> None:
        """Resets the shared clock to its initial state, or makes an account use the shared clock again."""
        self.control("DELETE", "/clock" + _query(account=account))

    def accounts(self) -> List[Dict[str, Any]]:
        return self.control("GET", "/accounts")["accounts"]

    def account(self, email: str) -> Dict[str, Any]:
        return self.control("GET", _account(email))

    def add_account(self, **fields: Any) -> Dict[str, Any]:
        """Adds an account; all fields are optional. Returns its email address and a key."""
        return self.control("POST", "/accounts", fields)

    def change_account(self, email: str, **fields: Any) -> Dict[str, Any]:
        """Changes an account's plan, usage or limits: plan=..., used=..., limits=..."""
        return self.control("PATCH", _account(email), fields)

    def delete_account(self, email: str) -> None:
        self.control("DELETE", _account(email))

    def keys(self, email: str) -> List[Dict[str, Any]]:
        return self.control("GET", _account(email) + "/keys")["keys"]

    def add_key(self, email: str, **fields: Any) -> Dict[str, Any]:
        """Adds a key. name=... and key=... are optional. Returns the key's name and value."""
        return self.control("POST", _account(email) + "/keys", fields)

    def rotate_key(self, email: str, name: str, **fields: Any) -> Dict[str, Any]:
        """Replaces the key called "name". The old key expires immediately, or after expiresIn="P1D". Returns the new key."""
        return self.control("POST", "%s/keys/%s/rotate" % (_account(email), _segment(name)), fields)

    def delete_key(self, email: str, name: str) -> None:
        self.control("DELETE", "%s/keys/%s" % (_account(email), _segment(name)))

    def template(self, email: str, id: str) -> Dict[str, Any]:
        """Returns a template with its draft and published version."""
        return self.control("GET", "%s/templates/%s" % (_account(email), _segment(id)))

    def put_template(self, email: str, id: str, **fields: Any) -> Dict[str, Any]:
        """Writes and publishes a template: name, subject, html. With publish=False, only the draft changes."""
        return self.control("PUT", "%s/templates/%s" % (_account(email), _segment(id)), fields)

    def delete_template(self, email: str, id: str) -> None:
        self.control("DELETE", "%s/templates/%s" % (_account(email), _segment(id)))

    def block(self, email: str, name: str) -> Dict[str, Any]:
        return self.control("GET", "%s/blocks/%s" % (_account(email), _segment(name)))

    def put_block(self, email: str, name: str, html: str) -> Dict[str, Any]:
        return self.control("PUT", "%s/blocks/%s" % (_account(email), _segment(name)), {"html": html})

    def delete_block(self, email: str, name: str) -> None:
        self.control("DELETE", "%s/blocks/%s" % (_account(email), _segment(name)))

    def image(self, email: str, name: str) -> Dict[str, Any]:
        return self.control("GET", "%s/images/%s" % (_account(email), _segment(name)))

    def put_image(self, email: str, name: str, file: bytes) -> Dict[str, Any]:
        """Adds an image or replaces its file, a PNG, JPEG or GIF."""
        return self.control("PUT", "%s/images/%s" % (_account(email), _segment(name)),
                            {"file": base64.b64encode(file).decode("ascii")})

    def delete_image(self, email: str, name: str) -> None:
        self.control("DELETE", "%s/images/%s" % (_account(email), _segment(name)))

    def add_fault(self, **fault: Any) -> Dict[str, Any]:
        """Adds a fault, such as status=500, times=2 or drop=True. Returns its id and all active faults."""
        return self.control("POST", "/faults", fault)

    def faults(self) -> List[Dict[str, Any]]:
        return self.control("GET", "/faults")["faults"]

    def delete_fault(self, id: int) -> None:
        self.control("DELETE", "/faults/%d" % id)

    def clear_faults(self, **filters: Any) -> None:
        """Deletes all faults, or only the faults of a bearer, account or template."""
        self.control("DELETE", "/faults" + _query(**filters))

    def requests(self, **filters: Any) -> List[Dict[str, Any]]:
        """Returns matching requests. With wait=N, waits for N requests, and raises after timeoutMs (by default 5000)."""
        return self.control("GET", "/requests" + _query(**filters))["requests"]

    def what_happened(self) -> Dict[str, Any]:
        """Returns the last 50 requests and the unmet expectations, with reasons. "text" is a table of them."""
        return self.control("GET", "/what-happened")

    def clear_requests(self, **filters: Any) -> None:
        self.control("DELETE", "/requests" + _query(**filters))

    def verify(self, **expectation: Any) -> None:
        """Raises AssertionError unless the expected requests were received. The message lists the received requests."""
        self.control("POST", "/verify", expectation)


def _jar(given: Optional[str]) -> str:
    found = given or os.environ.get("STET_JAR") or next((each for each in JARS if os.path.exists(each)), None)
    if not found:
        raise StetError('stet.jar not found (%s); set "jar" or STET_JAR' % ", ".join(JARS))
    return found


def _java(given: Optional[str]) -> str:
    home = os.environ.get("JAVA_HOME")
    return given or os.environ.get("JAVA") or (os.path.join(home, "bin", "java") if home else "java")


def _started(command: List[str]) -> "subprocess.Popen[str]":
    # Omit STET_* variables such as STET_LISTEN, which are meant for the real service.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STET_")}
    environment["LC_ALL"] = "C.UTF-8"  # with this locale, Java can open files with any name
    try:
        return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise StetError("The test double did not start: %s not found; install Java 17 or later, or set"
                        ' "java" or JAVA' % command[0]) from None
    except OSError as failure:
        raise StetError("The test double did not start: %s" % failure) from failure


def _account(email: str) -> str:
    return "/accounts/" + _segment(email)


def _segment(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _query(**parameters: Any) -> str:
    given = _given(**parameters)
    return "?" + urllib.parse.urlencode(given) if given else ""


if "pytest" in sys.modules:
    import pytest

    def pytest_addoption(parser: Any) -> None:
        parser.addini("stet_data", "folder of the test double's accounts, relative to the root or working directory", default=DATA)
        parser.addini("stet_options", 'additional options for "stet fixture"', type="args")

    @pytest.fixture(scope="session")
    def stet_session(request: Any) -> Any:
        """A test double for the whole run, which no test resets."""
        config = request.config
        # Without a file of settings, pytest's root directory may be above the project.
        folders = [os.path.join(str(root), config.getini("stet_data") or DATA) for root in (config.rootpath, config.invocation_params.dir)]
        folder = next((each for each in folders if os.path.isdir(each)), folders[0])
        with StetFixture(folder, options=config.getini("stet_options")) as server:
            yield server

    @pytest.fixture(name="stet")
    def _stet(stet_session: StetFixture) -> StetFixture:
        """The run's test double, reset before this test."""
        stet_session.reset()
        return stet_session

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item: Any, call: Any) -> Any:
        """Adds what happened to the report of a failed test that used the fixture "stet"."""
        report = (yield).get_result()
        double = getattr(item, "funcargs", {}).get("stet")
        if report.when == "call" and report.failed and isinstance(double, StetFixture):
            try:
                report.sections.append(("Requests to Stet's test double", double.what_happened()["text"]))
            except (StetError, OSError):
                pass  # The test stopped the double.
