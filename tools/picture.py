"""Write figures/report.png: the first screen of the report, drawn by Chromium."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORT = ROOT / "results/full/report.html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Draw the picture."""
    if not REPORT.is_file():
        sys.exit(f"error: there is no {REPORT.relative_to(ROOT)}; make reproduce makes it")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("error: Chromium is needed; install it (Debian: apt-get install chromium)")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--window-size=1200,760", f"--screenshot={ROOT / 'figures/report.png'}"]
    subprocess.run([*command, REPORT.as_uri()], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
