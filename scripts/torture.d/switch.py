"""The switch that processes with ``faulty.c`` preloaded look at, in a shared file."""

import mmap
import struct
import subprocess
from pathlib import Path

FIELDS = ("clock", "often", "error", "deaf", "overflow")  # as in faulty.c
SHAPE = struct.Struct(f"={len(FIELDS)}q")


class Switch:
    """Everything is well until a field is set."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "switch"
        self.path.write_bytes(bytes(SHAPE.size))
        with self.path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), SHAPE.size)
        self._faulty = folder / "faulty.so"
        source = Path(__file__).with_name("faulty.c")
        build = ["cc", "-shared", "-fPIC", "-O1", "-o", str(self._faulty), str(source), "-ldl"]
        subprocess.run(build, check=True)

    def set(self, **fields: int) -> None:
        """Turn these; the others stay."""
        now = dict(zip(FIELDS, SHAPE.unpack(self._shared[:]), strict=True)) | fields
        self._shared[:] = SHAPE.pack(*(now[field] for field in FIELDS))

    def environment(self, under: Path) -> dict[str, str]:
        """For a process that shall look at it; calls fail for paths under ``under``."""
        return {
            "LD_PRELOAD": str(self._faulty),
            "FAULTY_SWITCH": str(self.path),
            "FAULTY_UNDER": str(under),
        }
