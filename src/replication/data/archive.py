"""Files inside zip and tar archives, read in memory: nothing is unpacked to disk."""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib

from replication.data.transfer import TransferError
from replication.errors import UserError


def read_member(archive: bytes, member: str, place: str, size: int) -> bytes:
    """Read one member of a zip or tar archive into memory, by its exact name.

    Parameters
    ----------
    archive : bytes
        The whole archive. Nothing is unpacked to disk.
    member : str
        Name of the member.
    place : str
        What to call the archive in error messages.
    size : int
        Bytes expected; at most one more is read.

    Returns
    -------
    bytes
        Content of the member.
    """
    stream = io.BytesIO(archive)
    try:
        if zipfile.is_zipfile(stream):
            with zipfile.ZipFile(stream) as bundle, bundle.open(member) as content:
                return content.read(size + 1)
        stream.seek(0)
        with tarfile.open(fileobj=stream, mode="r:*") as bundle:
            content = bundle.extractfile(bundle.getmember(member))
            if content is None:
                raise TransferError(f"{member} is not a file in it")
            return content.read(size + 1)
    except KeyError as error:
        raise TransferError(f"has no member {member}") from error
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        problem = " ".join(str(error).split())[:200] or type(error).__name__
        raise UserError(
            f"{place}: not a readable zip or tar archive ({problem}; {len(archive)} bytes). Try "
            "again later, or set `data.official: false` in config/config.yaml to use the mirrors "
            "and bundled copies."
        ) from error
