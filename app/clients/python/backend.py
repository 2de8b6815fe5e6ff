"""Builds the wheel and the source distribution (PEP 517). Their bytes depend only on the source files and SOURCE_DATE_EPOCH."""

import base64
import gzip
import hashlib
import io
import os
import tarfile
import time
import zipfile

SOURCES = ("LICENSE", "PKG-INFO", "backend.py", "pyproject.toml", "stet.jar", "stet.py")
EARLIEST = 315532800  # 1980-01-01, the earliest date that a zip file can store


def read(name):
    with open(name, "rb") as file:
        return file.read()


def release():
    """Returns the name and version of the package, such as stet_fixture-1.0.0."""
    fields = dict(line.split(": ", 1) for line in read("PKG-INFO").decode("utf-8").split("\n\n")[0].splitlines())
    return "%s-%s" % (fields["Name"].replace("-", "_"), fields["Version"])


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = release() + ".dist-info/"
    files = {
        "stet/__init__.py": read("stet.py"),
        "stet/py.typed": b"",
        "stet/stet.jar": read("stet.jar"),
        info + "LICENSE": read("LICENSE"),
        info + "METADATA": read("PKG-INFO"),
        info + "entry_points.txt": b"[pytest11]\nstet = stet\n",
        info + "WHEEL": b"Wheel-Version: 1.0\nGenerator: stet\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record += "%s,sha256=%s,%d\n" % (name, digest, len(content))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    wheel = release() + "-py3-none-any.whl"
    date = time.gmtime(max(epoch(), EARLIEST))[:6]
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content, zipfile.ZIP_STORED if name.endswith(".jar") else zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    sdist = release() + ".tar.gz"
    with open(os.path.join(sdist_directory, sdist), "wb") as file, gzip.GzipFile("", "wb", 9, file, epoch()) as zipped, \
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in SOURCES:
            content = read(name)
            entry = tarfile.TarInfo("%s/%s" % (release(), name))
            entry.size, entry.mtime, entry.mode = len(content), epoch(), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return sdist
