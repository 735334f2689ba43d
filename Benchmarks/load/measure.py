"""Starts the servers of Benchmarks/host, drives them in turn, and prints what they do. Called by Benchmarks/host, which builds them."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

CORES = sorted(os.sched_getaffinity(0))
# The driver has a processor of its own where there are two.
SERVER_CORE, DRIVER_CORE = CORES[0], CORES[-1]
TICKS = os.sysconf("SC_CLK_TCK")
RATE_CONNECTIONS = 256


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children_of():
    """The processes that each process has started."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
            except OSError:
                pass
    return children


class Server:
    """A server is one process or several, each with those that it has started."""

    def __init__(self, name, arguments):
        self.name, self.port, self.path = name, free_port(), "/soap"
        self.processes, folder = [], pathlib.Path(arguments.folder)
        try:
            self.start(folder, arguments)
        except BaseException:
            self.end()
            raise

    def start(self, folder, arguments):
        name = self.name
        getattr(self, "start_" + name)(folder, arguments)
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            if any(process.poll() is not None for process in self.processes):
                sys.exit(f"host: the server {name} does not start; see {folder}/{name}.log.")
            time.sleep(0.1)
        else:
            sys.exit(f"host: the server {name} does not listen; see {folder}/{name}.log.")

    def run(self, folder, *command, environment=None):
        log = open(folder / f"{self.name}.log", "ab")
        self.processes.append(subprocess.Popen(
            ["taskset", "-c", str(SERVER_CORE), *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=dict(os.environ, **(environment or {}))))

    def start_signet(self, folder, arguments):
        self.run(folder, arguments.signet, "serve", str(self.port), str(folder))

    def start_bare(self, folder, arguments):
        self.run(folder, str(pathlib.Path(arguments.signet).with_name("CallRivals")), "bare", "serve", str(self.port), str(folder))

    def start_gsoap(self, folder, arguments):
        self.run(folder, str(folder / "gsoap"), str(self.port), str(folder))

    def start_axis(self, folder, arguments):
        self.path = "/services/WebEasePort"
        self.run(folder, "java", "-cp", (folder / "axis.path").read_text() + f":{folder}/axis", "Hosting", str(self.port), str(folder),
                 str(folder / "axis"))

    def start_php(self, folder, arguments):
        is_root = os.geteuid() == 0
        program = (folder / "php.program").read_text().strip()
        (folder / "fpm.conf").write_text(f"""
[global]
error_log = {folder}/fpm.log
daemonize = no
[www]
{"user = root" if is_root else ""}
{"group = root" if is_root else ""}
listen = {folder}/fpm.sock
listen.backlog = 4096
pm = static
pm.max_children = 8
clear_env = yes
php_admin_value[opcache.enable] = 1
php_admin_value[opcache.validate_timestamps] = 0
php_admin_value[soap.wsdl_cache_enabled] = 1
""")
        (folder / "nginx.conf").write_text(f"""
{"user root;" if is_root else ""}
daemon off;
worker_processes 1;
worker_rlimit_nofile {arguments.most + 2048};
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections {arguments.most + 1024}; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 100000000;
    keepalive_timeout 3600;
    server {{
        listen 127.0.0.1:{self.port} ssl backlog=4096;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server.key;
        ssl_client_certificate {folder}/authority.pem;
        ssl_verify_client on;
        location /soap {{
            fastcgi_pass unix:{folder}/fpm.sock;
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME {arguments.php};
            fastcgi_param WSDL {arguments.wsdl};
        }}
    }}
}}
""")
        self.run(folder, program, "--nodaemonize", "--fpm-config", str(folder / "fpm.conf"), *(["--allow-to-run-as-root"] if is_root else []))
        self.run(folder, "nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", "stderr")

    def all(self):
        children, found = children_of(), []
        waiting = [process.pid for process in self.processes]
        while waiting:
            found.append(waiting.pop())
            waiting += children.get(found[-1], [])
        return found

    def seconds(self):
        total = 0
        for process in self.all():
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self):
        """KB in all processes; pages that several share are counted once."""
        total = 0
        for process in self.all():
            for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        return total

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Driver:
    def __init__(self, arguments):
        self.arguments = arguments

    def use(self, entries):
        """So many entries are in the answers from now on."""
        for name in ["request.xml", "answer.xml"]:
            shutil.copy(f"{self.arguments.folder}/{entries}/{name}", f"{self.arguments.folder}/{name}")

    def command(self, server, kind, *rest):
        return ["taskset", "-c", str(DRIVER_CORE), f"{self.arguments.folder}/driver", kind, str(server.port), server.path,
                self.arguments.folder, *[str(word) for word in rest]]

    def start(self, server, *command):
        """A driver that has begun to measure."""
        process = subprocess.Popen(self.command(server, *command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not process.stdout.readline():
            self.failed(server)
        return process

    def failed(self, server):
        sys.exit(f"host: the server {server.name} did not give every answer; its log is in {self.arguments.folder}.")

    def finish(self, server, process):
        words = process.communicate()[0].split()
        if process.returncode != 0:
            self.failed(server)
        answers, half, _, p99, p999, longest = (float(word) for word in words[:6])
        return {"answers": answers, "median_ms": half / 1000, "p99_ms": p99 / 1000, "p999_ms": p999 / 1000,
                "longest_ms": longest / 1000, "unanswered": int(words[6]), "count": int(words[7]), "tls": " ".join(words[8:])}

    def run(self, server, *command):
        """What the driver prints, with microseconds of the server's processor time for an answer."""
        process = self.start(server, *command)
        before = server.seconds()
        result = self.finish(server, process)
        return dict(result, us=(server.seconds() - before) / max(result["count"], 1) * 1e6)


def in_turn(servers, driver, arguments, say, what, *command):
    """What the driver says of each server, in rounds; which server goes first changes."""
    rounds = {server.name: [] for server in servers}
    for number in range(arguments.rounds):
        for turn in range(len(servers)):
            server = servers[(number + turn) % len(servers)]
            say(f"{server.name}, {what}")
            rounds[server.name].append(driver.run(server, *command))
    return rounds


def row(rounds, name, **more):
    """Medians of a server's rounds, and of the ratios to Signet's."""
    own = rounds[name]
    result = {key: statistics.median(entry[key] for entry in own)
              for key in ["answers", "median_ms", "p99_ms", "p999_ms", "longest_ms", "us"]}
    for key in ["answers", "us"]:
        result[key + "_of_signet"] = statistics.median(a[key] / b[key] for a, b in zip(own, rounds["signet"]))
    return dict(more, server=name, **result, unanswered=sum(entry["unanswered"] for entry in own), tls=own[0]["tls"])


def closed(servers, driver, arguments, say):
    rows = []
    for entries in arguments.entries:
        driver.use(entries)
        # The answer of "bare" is prepared once.
        able = [server for server in servers if server.name != "bare" or entries == arguments.entries[0]]
        for count in arguments.open:
            rounds = in_turn(
                able, driver, arguments, say, f"{entries} entries, {count} connections", "closed", count, arguments.seconds)
            rows += [row(rounds, server.name, entries=entries, open=count) for server in able]
    driver.use(arguments.entries[0])
    return rows


def offered(servers, driver, arguments, say):
    rows = []
    for rate in arguments.rates:
        rounds = in_turn(
            servers, driver, arguments, say, f"{rate} requests a second", "rate", RATE_CONNECTIONS, arguments.seconds, rate)
        rows += [row(rounds, server.name, rate=rate) for server in servers]
    return rows


def idle(servers, driver, arguments, say):
    rows = []
    for server in servers:
        say(f"{server.name}, {arguments.idle} idle connections")
        time.sleep(2)
        before = server.memory()
        holder = subprocess.Popen(
            driver.command(server, "hold", arguments.idle), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        opened = bool(holder.stdout.readline())
        time.sleep(2)
        after = server.memory()
        holder.stdin.close()
        holder.wait()
        rows.append({
            "server": server.name, "before_mb": before / 1024, "with_mb": after / 1024 if opened else None,
            "kb": (after - before) / arguments.idle if opened else None})
    return rows


def soak(server, driver, arguments, say, rate):
    say(f"{server.name}, {rate} requests a second for {arguments.soak} s")
    process = driver.start(server, "rate", 32, arguments.soak, rate)
    memory, begin = [], time.monotonic()
    for step in range(11):
        time.sleep(max(0, begin + step * (arguments.soak - 1) / 10 - time.monotonic()))
        memory.append(server.memory() / 1024)
    return dict(driver.finish(server, process), seconds=arguments.soak, rate=rate, memory_mb=memory)


def numbers(text):
    return [int(word) for word in text.split(",") if int(word) > 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ["folder", "signet", "wsdl", "php", "servers"]:
        parser.add_argument("--" + name, required=True)
    for name in ["entries", "open", "rates"]:
        parser.add_argument("--" + name, type=numbers, required=True)
    for name in ["idle", "most", "soak", "seconds", "rounds"]:
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    def say(text):
        print(text, file=sys.stderr, flush=True)

    # So that the servers are ended.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    driver, servers = Driver(arguments), []
    driver.use(arguments.entries[0])
    try:
        for name in arguments.servers.split(","):
            servers.append(Server(name, arguments))
        result = {"processors": 2 if SERVER_CORE != DRIVER_CORE else 1}
        for server in servers:
            # Axis fails when its first requests come at the same time.
            say(f"{server.name}, first requests")
            driver.run(server, "closed", 1, 3)
        result["closed"] = closed(servers, driver, arguments, say)
        if arguments.rates:
            result["rates"] = offered(servers, driver, arguments, say)
        if arguments.soak:
            fastest = max(row["answers"] for row in result["closed"]
                          if row["server"] == "signet" and row["entries"] == arguments.entries[0])
            signet = next(server for server in servers if server.name == "signet")
            result["soak"] = soak(signet, driver, arguments, say, int(fastest / 2))
        if arguments.idle:
            result["idle"] = idle(servers, driver, arguments, say)
    finally:
        for server in servers:
            server.end()
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        show(result, arguments)


def show(result, arguments):
    print(f"\nClosed loops, medians of {arguments.rounds} rounds of {arguments.seconds} s:\n")
    print("| entries | connections | server | answers a second | of Signet's | µs of processor | of Signet's | median ms | 99 % ms | TLS |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|---|")
    for row in result["closed"]:
        print(f"| {row['entries']} | {row['open']} | {row['server']} | {row['answers']:.0f} | {row['answers_of_signet']:.2f} | {row['us']:.1f} | "
              f"{row['us_of_signet']:.2f} | {row['median_ms']:.2f} | {row['p99_ms']:.2f} | {row['tls']} |")
    if "rates" in result:
        print(f"\nA constant rate, over {RATE_CONNECTIONS} connections:\n")
        print("| offered a second | server | answers a second | without an answer | median ms | 99 % ms | 99.9 % ms | longest ms |")
        print("|---:|---|---:|---:|---:|---:|---:|---:|")
        for row in result["rates"]:
            print(f"| {row['rate']} | {row['server']} | {row['answers']:.0f} | {row['unanswered']} | {row['median_ms']:.2f} | "
                  f"{row['p99_ms']:.2f} | {row['p999_ms']:.2f} | {row['longest_ms']:.2f} |")
    if "soak" in result:
        row = result["soak"]
        print(f"\n{row['seconds']} s with {row['rate']} requests a second offered: {row['answers']:.0f} answers a second, 99 % within "
              f"{row['p99_ms']:.2f} ms, the longest {row['longest_ms']:.2f} ms. MB in use, at the beginning and at each tenth: "
              + ", ".join(f"{value:.1f}" for value in row["memory_mb"]))
    if "idle" in result:
        print(f"\n{arguments.idle} idle connections:\n\n| server | MB before | MB with them | KB a connection |\n|---|---:|---:|---:|")
        for row in result["idle"]:
            rest = f"{row['with_mb']:.0f} | {row['kb']:.1f}" if row["kb"] is not None else "not all could be opened | –"
            print(f"| {row['server']} | {row['before_mb']:.0f} | {rest} |")
    if result["processors"] == 1:
        print("\nServers and driver shared one processor.")


if __name__ == "__main__":
    main()
