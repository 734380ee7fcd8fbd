"""Headless Chromium, driven over its debugging pipe; no package and no network is needed."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "chrome", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

PATIENCE = 120
"""Seconds without a word after which Chromium is given up."""

DESKTOP, PHONE = (1400, 900), (390, 844)


class Browser:
    """Headless Chromium, driven over its debugging pipe."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        answers, their_output = os.pipe()
        their_input, commands = os.pipe()
        words = [
            *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-dev-shm-usage", "--disable-background-networking"),
            # a test opens hundreds of pages in a second, and Chromium would leave some out
            "--disable-ipc-flooding-protection",
            *("--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"),
        ]
        # Chromium reads commands from descriptor 3 and answers on 4
        redirect = (
            "import os, sys; ends = [os.dup2(int(end), 100 + i) for i, end in"
            " enumerate(sys.argv[1:3])]; [os.dup2(end, 3 + i) for i, end in enumerate(ends)];"
            " os.execv(sys.argv[3], sys.argv[3:])"
        )
        ends = [str(their_input), str(their_output)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", redirect, *ends, *words],
            pass_fds=(their_input, their_output),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_input)
        os.close(their_output)
        self.answers = os.fdopen(answers, "rb", buffering=0)
        self.commands = os.fdopen(commands, "wb")
        self.waiting, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.answers.close()
        self.commands.close()
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.waiting:
            ready, _, _ = select.select([self.answers], [], [], PATIENCE)
            assert ready, f"Chromium has not answered for {PATIENCE} s"
            part = self.answers.read(1 << 20)
            assert part, "Chromium ended"
            self.waiting += part
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def js(self, expression):
        """Value of an expression, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, path, size=DESKTOP, dark=False, way=""):
        width, height = size
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=size == PHONE,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.settles("location.href", "about:blank")
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + way)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def click(self, selector):
        """Click the first element of a kind, as a reader does: it must be on the screen."""
        place = self.js(
            f"""(() => {{
              const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
              return [box.left + box.width / 2, box.top + box.height / 2];
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def type(self, text):
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def settles(self, expression, wanted):
        """Wait until an expression has a value, ten seconds at most; the last value."""
        for _ in range(200):
            found = self.js(expression)
            if found == wanted:
                break
            time.sleep(0.05)
        return found

    def cells(self, name, column):
        """Texts of one column of a table, counted from 1."""
        places = f"#{name} tbody tr > :nth-child({column})"
        return self.js(f'[...document.querySelectorAll("{places}")].map((one) => one.innerText)')

    def complaints(self):
        """Errors and warnings that the page caused."""
        return [
            event
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (
                event.get("method") == "Runtime.consoleAPICalled"
                and event["params"]["type"] in ("error", "warning", "assert")
            )
        ]

    def requests(self):
        """Addresses that the page asked for, without what it carries inside."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
            and not event["params"]["request"]["url"].startswith(("data:", "blob:"))
        ]
