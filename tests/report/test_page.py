"""The report in a real browser: what it shows, in light and in dark, on wide and on narrow screens."""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from PIL import Image

REPORTS = pathlib.Path(os.environ["RHIZOME_TEST_REPORTS"])
FOLDERS = ["one", "published", "two", "real"]
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr",
]
DARK = "--blink-settings=preferredColorScheme=0"


def chromium(profile, page, *flags):
    """Opens a page and returns what the browser wrote; fails on anything that it complained about."""
    program = shutil.which("chromium")
    assert program, "chromium is missing; scripts/setup.sh browser installs it"
    done = subprocess.run(
        [program, *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line or "Refused to" in line]
    assert not complaints, complaints
    return done.stdout


class Page(html.parser.HTMLParser):
    """Counts what is in a rendered page, and collects what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.elements = {}
        self.links = []
        self.ids = set()
        self.points = 0
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        name = f"{tag}.{values['class'].split()[0]}" if values.get("class") else tag
        self.elements[name] = self.elements.get(name, 0) + 1
        self.links += [values[name] for name in ("href", "src") if name in values]
        self.ids.add(values.get("id"))
        if tag == "polyline" and "var(--run-" in values.get("stroke", ""):
            self.points += len(values["points"].split())

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("folder", FOLDERS)
def test_everything_is_there_and_nothing_is_loaded(folder, tmp_path):
    page = Page(chromium(tmp_path / "profile", REPORTS / folder / "report.html", "--dump-dom"))
    scenarios = page.elements["section.scenario"]
    assert scenarios >= 3
    assert page.elements["figure.chart"] >= 3 * scenarios
    assert page.elements["svg"] >= 3 * scenarios
    assert page.points > 50 * scenarios, "lines are drawn"
    for column in ["Concurrency", "Samples", "Average", "Median", "90% Line", "Min", "Max", "Error%", "Throughput", "KB/sec"]:
        assert column in page.text
    # Hostile texts are texts: there is no script on the page, and no second style.
    assert "script" not in page.elements
    assert page.elements["style"] == 1
    outside = [link for link in page.links if not link.startswith(("#", "https://hugegraph.apache.org/"))]
    assert not outside
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    assert not {"link", "img", "iframe"} & set(page.elements)


def test_hostile_texts_are_shown_as_they_are(tmp_path):
    page = Page(chromium(tmp_path / "profile", REPORTS / "one" / "report.html", "--dump-dom"))
    assert "</style><script>document.title='broken'</script>" in page.text
    assert "Load test: Rhizome" in page.text and "title" in page.elements


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_picture_of_it_shows_something(folder, scheme, tmp_path):
    picture = tmp_path / "page.png"
    flags = ["--window-size=1280,2400", f"--screenshot={picture}"] + ([DARK] if scheme == "dark" else [])
    chromium(tmp_path / "profile", REPORTS / folder / "report.html", *flags)
    image = Image.open(picture).convert("RGB")
    colours = sorted(image.getcolors(maxcolors=1 << 24), reverse=True)
    assert len(colours) > 100, "text and lines have smooth edges"
    background, share = colours[0][1], colours[0][0] / (image.width * image.height)
    assert share < 0.97, "it is not blank"
    assert (max(background) < 60) if scheme == "dark" else (min(background) > 200)
    accent = (0x62, 0xAE, 0xFC) if scheme == "dark" else (0x0B, 0x67, 0xC2)
    assert sum(count for count, colour in colours if colour == accent) > 500, "the accent of the first run"
    # The lower half has charts, not only the upper one a heading.
    lower = image.crop((0, image.height // 2, image.width, image.height))
    assert len(lower.getcolors(maxcolors=1 << 24)) > 50


@pytest.mark.parametrize("width", [320, 420, 1280])
@pytest.mark.parametrize("folder", FOLDERS)
def test_no_screen_is_too_narrow(folder, width, tmp_path):
    """In a frame of this width the page's own content is not wider; tables scroll within themselves."""
    shutil.copy(REPORTS / folder / "report.html", tmp_path / "report.html")
    (tmp_path / "frame.html").write_text(f"""<!doctype html><iframe src="report.html" style="width:{width}px;height:900px;border:0"
        onload="document.title = this.contentDocument.documentElement.scrollWidth"></iframe>""")
    text = chromium(tmp_path / "profile", tmp_path / "frame.html", "--allow-file-access-from-files", "--dump-dom")
    title = re.search(r"<title>(\d+)</title>", text)
    assert title, text
    assert int(title[1]) <= width
