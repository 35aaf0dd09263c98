"""Credentials of one form whoever issued them: tokens, headers, URLs."""

from __future__ import annotations

import re

from publisher.scanning.rules.shape import (
    Shape,
    is_basic_pair,
    is_query_credential,
    is_random,
    is_userinfo_password,
    is_very_random,
)

CREDENTIAL_SHAPES = (
    # RFC 7519: header and payload are JSON objects, which begin with `eyJ` in base64url.
    Shape(
        name="jwt",
        label="JSON web token",
        pattern=re.compile(
            rb"(?<![A-Za-z0-9_-])(?:eyJ|ewo)[A-Za-z0-9_-]{8,}={0,2}\.(?:eyJ|ewo)[A-Za-z0-9_-]{8,}={0,2}\.[A-Za-z0-9_-]{16}"
        ),
        holds=is_random,
    ),
    # RFC 7516, 3.1: five parts, the second empty where no key is wrapped.
    Shape(
        name="jwe",
        label="encrypted JSON web token",
        pattern=re.compile(
            rb"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16}"
        ),
        holds=is_random,
    ),
    # RFC 6750; the schemes `Token` and `ApiKey` are vendors' own; RFC 7617.
    Shape(
        name="bearer-token",
        label="Bearer token",
        pattern=re.compile(rb"(?i)\bbearer[ \t]{1,4}([a-z0-9._~+/-]{16,4096}={0,2})"),
        holds=is_very_random,
    ),
    Shape(
        name="authorization-header",
        label="Authorization header",
        pattern=re.compile(
            rb"(?i)authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:token|apikey|api-key|key)[ =]"
            rb"([a-z0-9._~+/-]{16,4096}={0,2})"
        ),
        holds=is_very_random,
    ),
    Shape(
        name="basic-credentials",
        label="Basic credentials",
        pattern=re.compile(rb"(?i)\bbasic[ \t]{1,4}([a-z0-9+/]{8,1024}={0,2})"),
        holds=is_basic_pair,
    ),
    # RFC 3986, 3.2.1: user information with a password; connection strings have the same form.
    Shape(
        name="credential-url",
        label="password inside a URL",
        pattern=re.compile(rb"[A-Za-z0-9]://[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{3,128})@[A-Za-z0-9\[]"),
        holds=is_userinfo_password,
    ),
    # RFC 6750, 2.3, and vendors' own: a credential as a parameter of a query.
    Shape(
        name="query-credential",
        label="credential in the query of a URL",
        pattern=re.compile(
            rb"(?i)[?&](?:access_?token|auth_?token|api_?key|app_?key|key|token|secret|client_?secret|code|sig(?:nature)?|auth)="
            rb"([a-z0-9_%.~+/-]{24,512}={0,2})"
        ),
        holds=is_query_credential,
    ),
    # RFC 3986, 3.2.1: user information without a colon, which is then a token.
    Shape(
        name="credential-url",
        label="token inside a URL",
        pattern=re.compile(rb"[A-Za-z0-9]://([A-Za-z0-9_-]{24,128})@[A-Za-z0-9\[]"),
        holds=is_very_random,
    ),
    # Oracle's JDBC documentation, "Database URLs": user and password before the host.
    Shape(
        name="credential-url",
        label="password inside a URL",
        pattern=re.compile(rb"jdbc:oracle:(?:thin|oci8?):[\w.-]{1,64}/([^\s/@\"'<>]{3,128})@"),
        holds=is_userinfo_password,
    ),
    # RFC 6265: cookies that carry a session.
    Shape(
        name="session-cookie",
        label="session cookie",
        pattern=re.compile(
            rb"(?i)cookie[\"']?[ \t]{0,4}[:=][^\n]{0,200}?[a-z_.-]{0,24}(?:sess(?:ion)?(?:[_-]?id)?|sid|auth|token|jwt)"
            rb"=([a-z0-9%._+/-]{20,512})"
        ),
        holds=is_very_random,
    ),
)
