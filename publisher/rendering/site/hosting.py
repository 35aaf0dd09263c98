"""What a host should send with each file: security headers, media types, and how long it may be kept.

`_headers` at the site's root tells them to hosts that read it (Netlify, Cloudflare Pages), and the examples in
`docs/hosting/` are held to them by a test. `serve` sends the headers and the types, and lets nothing be kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
"""Pages carry it themselves; `frame-ancestors` works as a header only."""
HEADERS_FILE = "_headers"
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""With every file."""
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
LOG_TEXT = ("checkpoint*", "inclusion/*", "consistency/*", "key")
"""Files of a release log have no suffix: these are lines of text, tiles are not."""
OTHER_TYPE = "application/octet-stream"


def media_type(name: str) -> str:
    """The media type of a file of the site, by its name below the root."""
    folder, _, rest = name.partition("/")
    suffix = f".{name.rpartition('.')[2]}" if "." in name.rpartition("/")[2] else ""
    in_log = folder == "log" and any(fnmatchcase(rest, pattern) for pattern in LOG_TEXT)
    return MEDIA_TYPES.get(suffix, LOG_TYPE if in_log else OTHER_TYPE)


def headers_file() -> bytes:
    """`_headers`. What isn't kept longer is revalidated by these hosts without being told, and rules that overlap would
    be joined: so no rule for every file names the cache."""
    lines = ["/*", *(f"  {name}: {value}" for name, value in SECURITY_HEADERS.items())]
    for folder, rule in KEPT.items():
        lines += [f"/{folder}*", f"  Cache-Control: {rule}"]
    for name in LOG_TEXT:
        lines += [f"/log/{name}", f"  Content-Type: {LOG_TYPE}"]
    return "\n".join([*lines, ""]).encode()
