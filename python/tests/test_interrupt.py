"""Ctrl-C ends a long call, in a process of its own."""

import signal
import subprocess
import sys

PROGRAM = """
import random, retold
def pages():
    for number in range(100_000):
        yield {"text": " ".join(map(str, random.Random(number).choices(range(50_000), k=200)))}
def said(stage, done, total):
    if stage == "read" and done:
        print("working", flush=True)
try:
    retold.dedup(pages(), progress=said)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_ctrl_c_stops_the_run():
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "working\n"
        program.send_signal(signal.SIGINT)
        said, _ = program.communicate(timeout=60)
    finally:
        program.kill()
    assert said.splitlines()[-1] == "stopped"
    assert program.returncode == 0
