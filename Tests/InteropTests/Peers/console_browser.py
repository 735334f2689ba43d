"""A person before the page of `signet console`, by Chromium and PyPI's Playwright; PyPI's axe looks at each view.

Run: console_browser.py SCENE PROGRAM ARGUMENT…. SCENE is a JSON object: `project` is a SoapUI project with a request “Query” for the
console's own endpoint, `stranger` the file of an identity that the service refuses, `folder` where screenshots go (nowhere unless it
is given). Prints a JSON object of what was seen; what was not as it should be is in `problems`.
"""

import json
import os
import re
import shutil
import subprocess
import sys

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

scene = json.loads(sys.argv[1])
problems = []
seen = {"policies": []}


def look(page, name):
    """Lets axe judge the view in both colour schemes, and takes pictures."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for violation in Axe().run(page).response["violations"]:
            places = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
            problems.append(f"axe, {name}, {scheme}: {violation['impact']} {violation['id']}: {places}")
        if scene.get("folder"):
            suffix = "" if scheme == "light" else "~dark"
            page.screenshot(path=os.path.join(scene["folder"], f"console-{name}{suffix}.png"))
    page.emulate_media(color_scheme="light")


def send(page, outcome):
    page.click("#send")
    expect(page.locator(".result h2 .badge")).to_have_text(outcome)


def result_tab(page, name):
    page.locator(".result").get_by_role("tab", name=re.compile(f"^{name}")).click()


def show_result(page):
    page.locator(".result h2").evaluate("heading => { heading.scrollIntoView(); scrollBy(0, -70); }")


def choose(page, name):
    page.locator(".operation-item", has=page.get_by_text(name, exact=True)).click()
    page.wait_for_function(
        "name => document.querySelector('main h1')?.textContent === name && document.querySelector('#input-form')", arg=name)


def visit(page, address):
    page.goto(address)
    page.wait_for_selector("main h1")
    choose(page, "LogEntryQuery")
    page.get_by_label("patientId", exact=True).fill("P-4711")
    look(page, "form")

    # A call that comes through.
    send(page, "Answered")
    result_tab(page, "On the wire")
    seen["certificates"] = page.locator(".certificate-name").all_inner_texts()
    seen["wire"] = page.locator(".result").inner_text()
    show_result(page)
    look(page, "wire")
    page.locator(".operation").get_by_role("tab", name="signet call").click()
    seen["command"] = page.locator(".operation pre").first.inner_text()
    page.locator(".operation").get_by_role("tab", name="Swift").click()
    seen["swift"] = page.locator(".operation pre").first.inner_text()
    page.locator(".operation").get_by_role("tab", name="XML").click()
    expect(page.locator("#xml")).to_have_value(re.compile("P-4711"))

    # One that the server refuses in the handshake, and one without any certificate.
    page.locator(".operation").get_by_role("tab", name="Form").click()
    page.get_by_role("button", name="Add: identity").click()
    page.get_by_label("File on this computer").fill(scene["stranger"])
    page.get_by_role("button", name="Add", exact=True).click()
    send(page, "Failed")
    seen["refused"] = page.locator(".outcome-box").inner_text()
    show_result(page)
    look(page, "refused")
    page.select_option("#identity", label="No certificate")
    send(page, "Failed")
    seen["without"] = page.locator(".outcome-box").inner_text()
    page.select_option("#identity", index=1)

    # A request of another tool.
    page.get_by_role("tab", name=re.compile("^Collections")).click()
    page.set_input_files("#import", scene["project"])
    page.locator(".collection button", has_text="Query").first.click()
    expect(page.get_by_label("patientId", exact=True)).to_have_value("P-from-SoapUI")
    look(page, "collection")
    page.click("#send")
    page.wait_for_timeout(300)
    if page.locator("dialog").count():
        page.get_by_role("button", name="Send there").click()
    expect(page.locator(".result h2 .badge")).to_have_text("Answered")

    # A fault, and the history of everything.
    page.get_by_role("tab", name="Operations").click()
    choose(page, "LogEntryDelete")
    page.get_by_label("id", exact=True).fill("99")
    send(page, "Fault")
    seen["fault"] = page.locator(".outcome-box").inner_text()
    page.get_by_role("tab", name=re.compile("^History")).click()
    seen["history"] = page.locator(".history-item").count()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    with open(download.value.path(), encoding="utf-8") as file:
        seen["export"] = file.read()
    seen["page"] = page.content()


def main():
    program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", program.stdout.readline()).group()
        with sync_playwright() as playwright:
            # In containers, root has no right to make the sandbox.
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
            page = context.new_page()
            page.set_default_timeout(15000)
            page.on("pageerror", lambda error: problems.append(f"the page: {error}"))
            page.on("console", lambda message: problems.append(f"{message.type}: {message.text}")
                    if message.type in ("error", "warning") else None)
            page.add_init_script(
                "document.addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))")
            requests = []
            page.on("request", lambda request: requests.append(request.url))
            try:
                visit(page, address)
            except Exception as error:
                problems.append(f"{type(error).__name__}: {error}")
                problems.append(page.locator("body").inner_text()[-3000:])
            problems.extend(f"outside: {url}" for url in requests if not url.startswith((address, "blob:", "data:")))
            browser.close()
    finally:
        program.terminate()
        program.wait(10)
    print(json.dumps({**seen, "problems": problems}))


main()
