"""A cluster of Apache Spark on this machine: a master and workers of one core each, on the loopback interface."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import zipfile

import pyspark

HOME = pathlib.Path(pyspark.__file__).parent


class Cluster:
    def __init__(self, folder, workers):
        self.folder, self.processes = folder, []
        # Neither the settings of whoever starts the tests, nor other addresses than the machine's own.
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
        self.env |= {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        self.url = f"spark://127.0.0.1:{_free_port()}"
        self._start("master", "master.Master", "--host", "127.0.0.1", "--port", self.url.rsplit(":")[-1], "--webui-port", str(_free_port()))
        self._wait("master", "New state: ALIVE")
        self.workers = []
        for number in range(1, workers + 1):
            self.add_worker(f"worker-{number}")

    def add_worker(self, name):
        arguments = ["--host", "127.0.0.1", "--webui-port", str(_free_port()), "--cores", "1", "--memory", "4g"]
        worker = self._start(name, "worker.Worker", *arguments, "--work-dir", str(self.folder / name), self.url)
        self._wait(name, "Successfully registered with master")
        self.workers.append(worker)

    def kill_worker(self):
        """Kills a worker and its executor, as a machine that loses its power would."""
        worker = self.workers.pop()
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _start(self, name, kind, *arguments):
        log = open(self.folder / f"{name}.log", "w")
        program = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        # A session of its own: executors go with their worker.
        process = subprocess.Popen(program, env=self.env, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def _wait(self, name, said, seconds=60):
        log = self.folder / f"{name}.log"
        for _ in range(seconds * 10):
            if re.search(said, log.read_text()):
                return
            time.sleep(0.1)
        raise TimeoutError(f"{name} did not say `{said}` within {seconds} s:\n{log.read_text()[-2000:]}")


def _free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextlib.contextmanager
def cluster(folder, workers=2):
    running = Cluster(folder, workers)
    try:
        yield running
    finally:
        running.stop()


def packed(folder):
    """The installed package as a zip to go with `spark.archives`: what a user makes of the wheel."""
    import retold

    package = pathlib.Path(retold.__file__).parent
    archive = folder / "retold.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in package.rglob("*"):
            if "__pycache__" not in file.parts and file.is_file():
                zipped.write(file, pathlib.Path("retold") / file.relative_to(package))
    return archive


def session(url, folder, partitions=4, memory="1g"):
    """A session whose executors have the package from `spark.archives` and nowhere else."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(url).appName("retold")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.executor.memory": memory,
        "spark.driver.memory": "3g",
        "spark.driver.maxResultSize": "2g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.shuffle.partitions": partitions,
        "spark.archives": f"{packed(folder)}#packages",
        "spark.executorEnv.PYTHONPATH": "packages",
        "spark.executorEnv.PYTHONWARNINGS": "ignore",
        "spark.network.timeout": "60s",
        "spark.executor.heartbeatInterval": "5s",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
    return spark
