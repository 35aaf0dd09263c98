"""What a host should send with each file: security headers, media types, and how long it may be kept.

`serve` sends them, `_headers` at the site's root tells them to hosts that read it (Netlify, Cloudflare Pages), and the
examples in `docs/hosting/` are held to them by a test.
"""

from __future__ import annotations

from collections.abc import Mapping

from publisher.rendering.environment import CONTENT_SECURITY_POLICY

HEADERS_FILE = "_headers"
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""With every file. A page carries the policy itself; `frame-ancestors` works as a header only."""
REVALIDATED = "no-cache"
"""May be kept, and is asked for again each time: pages, data, and runs, which can be withdrawn."""
KEPT: Mapping[str, str] = {
    "assets/": "public, max-age=31536000, immutable",
    "log/tile/": "public, max-age=86400",
}
"""Folders whose files may be kept longer: an asset has its hash in its name, and a tile of the log only grows."""
MEDIA_TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain; charset=utf-8",
    ".bib": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".atom": "application/atom+xml",
    ".tar": "application/x-tar",
}
LOG_TYPE = "text/plain; charset=utf-8"
"""Files of a release log have no suffix: they are lines of text, but for the tiles."""
OTHER_TYPE = "application/octet-stream"


def media_type(name: str) -> str:
    """The media type of a file of the site, by its name below the root."""
    folder, _, rest = name.partition("/")
    suffix = f".{name.rpartition('.')[2]}" if "." in name.rpartition("/")[2] else ""
    in_log = folder == "log" and not rest.startswith("tile/")
    return MEDIA_TYPES.get(suffix, LOG_TYPE if in_log else OTHER_TYPE)


def cache_control(name: str) -> str:
    """How long a file of the site may be kept."""
    return next((rule for folder, rule in KEPT.items() if name.startswith(folder)), REVALIDATED)


def headers_file() -> bytes:
    """`_headers`. What isn't kept longer is revalidated by these hosts without being told, and rules that overlap would
    be joined: so no rule for every file names the cache."""
    lines = ["/*", *(f"  {name}: {value}" for name, value in SECURITY_HEADERS.items())]
    for folder, rule in KEPT.items():
        lines += [f"/{folder}*", f"  Cache-Control: {rule}"]
    lines += ["/log/checkpoint*", f"  Content-Type: {LOG_TYPE}", "/log/inclusion/*", f"  Content-Type: {LOG_TYPE}"]
    return "\n".join([*lines, ""]).encode()
