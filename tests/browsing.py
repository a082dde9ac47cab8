"""What the tests of the page do in a browser."""

import base64
import io
import time

import numpy as np

STRETCH = 1.6  # times as wide, or as high, as it was laid out
MARGIN = 30  # pixels around the map's points at the start, on a wide screen


def text(browser, selector):
    return browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)


def texts_of(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(node => node.innerText)", selector
    )


def click(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def type_query(browser, words):
    field = browser.find_element("id", "query")
    field.clear()
    field.send_keys(words)


def slide(browser, selector, value):
    browser.execute_script(
        "const slider = document.querySelector(arguments[0]); slider.value = arguments[1];"
        "slider.dispatchEvent(new Event('input', {bubbles: true}))",
        selector,
        str(value),
    )


def hash_of(browser):
    return browser.execute_script("return location.hash")


def until(browser, script, *arguments):
    """Wait until a script returns something true: the history and drawings come a moment later."""
    end = time.monotonic() + 20  # A busy machine may take seconds.
    while time.monotonic() < end:
        if browser.execute_script(script, *arguments):
            return
        time.sleep(0.03)
    raise AssertionError(f"never true: {script}")


def rest(browser):
    """Wait until the map has stopped moving and has been drawn."""
    time.sleep(0.6)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def emulate(browser, width=1400, height=1000, *, dark=False, media="", ratio=1, still=False):
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    motion = {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme, motion]})
    size = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def places(browser, points):
    """Where documents are on the canvas before it is moved: all are seen, in its middle, stretched to fill it."""
    size = browser.execute_script("const c = document.getElementById('points'); return [c.clientWidth, c.clientHeight]")
    flat = np.frombuffer(base64.b64decode(points), "<u2").reshape(-1, 2) / 32767.5 - 1
    flat = flat * [1, -1]
    low, high = flat.min(0), flat.max(0)
    each = (np.array(size) - 2 * MARGIN) / (high - low)
    return np.array(size) / 2 + (flat - (low + high) / 2) * np.minimum(each, STRETCH * each.min())


def point_at(browser, place, *, press_button=True):
    """Move the mouse to a place on the canvas, and click there if asked."""
    from selenium.webdriver import ActionChains

    edge = browser.execute_script("return document.getElementById('points').getBoundingClientRect().toJSON()")
    actions = ActionChains(browser)
    actions.w3c_actions.pointer_action.move_to_location(int(edge["x"] + place[0]), int(edge["y"] + place[1]))
    if press_button:
        actions.click()
    actions.perform()


def pixels(browser):
    """The canvas as it is drawn: height × width × RGBA."""
    from PIL import Image

    script = "return document.getElementById('points').toDataURL().split(',')[1]"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(browser.execute_script(script)))).convert("RGBA"))


def luminance(colour):
    """Relative luminance of sRGB, as the WCAG define it."""
    part = np.asarray(colour, dtype=float) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def rgb(browser, variable):
    """A colour of the present theme."""
    script = "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()"
    value = browser.execute_script(script, f"--{variable}")
    return [int(value[k : k + 2], 16) for k in (1, 3, 5)]


def over(colour, background):
    """A pixel of the canvas as it looks on the page."""
    share = colour[3] / 255
    return share * np.asarray(colour[:3]) + (1 - share) * np.asarray(background)
