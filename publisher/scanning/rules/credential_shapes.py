"""Credentials of one form whoever issued them: key blocks, tokens, headers, URLs, command lines, hashes."""

from __future__ import annotations

import re

from publisher.scanning.rules.shape import (
    Shape,
    is_anything,
    is_basic_pair,
    is_no_placeholder,
    is_password,
    is_random,
    is_userinfo_password,
    is_very_random,
)

CREDENTIAL_SHAPES = (
    # RFC 7468 labels; then within reach a run of base64 that no example text has.
    Shape(
        name="private-key",
        label="private key block",
        pattern=re.compile(
            rb"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S]){0,400}?[A-Za-z0-9+/]{32}"
        ),
        holds=is_anything,
    ),
    # golang.org/x/mod/sumdb/note: the form of signing keys, ours too.
    Shape(
        name="note-signing-key",
        label="signing key of a log",
        pattern=re.compile(rb"PRIVATE\+KEY\+[^\s+]{1,256}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}"),
        holds=is_anything,
    ),
    # RFC 7519: header and payload are JSON objects, which begin with `eyJ` in base64url.
    Shape(
        name="jwt",
        label="JSON web token",
        pattern=re.compile(rb"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16}"),
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
        pattern=re.compile(rb"[A-Za-z]://[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{3,128})@[A-Za-z0-9\[]"),
        holds=is_userinfo_password,
    ),
    # PuTTY manual, appendix "PPK file format".
    Shape(
        name="putty-private-key",
        label="PuTTY private key",
        pattern=re.compile(rb"PuTTY-User-Key-File-\d[\s\S]{0,2000}?Private-Lines: ?\d{1,3}\s{1,2}[A-Za-z0-9+/]{32}"),
        holds=is_anything,
    ),
    # RFC 6265: cookies that carry a session.
    Shape(
        name="session-cookie",
        label="session cookie",
        pattern=re.compile(
            rb"(?i)cookie[\"']?[ \t]{0,4}[:=][^\n]{0,200}?(?:sess(?:ion)?(?:[_-]?id)?|sid|auth|token|jwt)"
            rb"=([a-z0-9%._+/-]{20,512})"
        ),
        holds=is_very_random,
    ),
    # GNU inetutils manual, ".netrc file".
    Shape(
        name="netrc-password",
        label="password in .netrc",
        pattern=re.compile(
            rb"machine\s{1,8}[^\s]{1,253}\s{1,8}login\s{1,8}[^\s]{1,128}\s{1,8}password\s{1,8}([^\s\"'<>]{6,128})"
        ),
        holds=is_no_placeholder,
    ),
    # POSIX utility conventions: an option and its argument.
    Shape(
        name="command-line-password",
        label="password on a command line",
        pattern=re.compile(
            rb"(?i)(?<![a-z0-9-])--?(?:pass(?:word|wd)?|token|api[_-]?key|secret|(?:auth|access)[_-]?token|"
            rb"client[_-]?secret)[ \t]{1,4}[\"']?([!-&(-;?-~]{8,256})"
        ),
        holds=is_password,
    ),
    # Manuals of sshpass and mysql: `-p` takes the password.
    Shape(
        name="command-line-password",
        label="password on a command line",
        pattern=re.compile(
            rb"(?:sshpass[ \t]{1,4}-p[ \t]{0,4}|mysql(?:dump|admin)?\b[^\n]{0,160}?[ \t]-p)[\"']?([!-&(-;?-~]{8,128})"
        ),
        holds=is_password,
    ),
    # Microsoft, "ConvertTo-SecureString": plain text in quotation marks.
    Shape(
        name="powershell-secure-string",
        label="PowerShell secure string",
        pattern=re.compile(rb"(?i)ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[\"']([^\"'\s]{8,128})[\"']"),
        holds=is_password,
    ),
    # RFC 7292 (PKCS #12): a store with a private key; who lists it among files tells where to look for it.
    # What a setting names (`store.file=env/cert.p12`) lies where it runs.
    Shape(
        name="private-key-store",
        label="name of a private key store",
        pattern=re.compile(rb"(?i)(?<![\w./\\=%-])[\w./\\-]{1,200}\.(?:p12|pfx)(?![\w-])"),
        holds=is_anything,
    ),
    # crypt(5): bcrypt, MD5, SHA-256, SHA-512 and Argon2 hashes, which can be guessed against.
    Shape(
        name="password-hash",
        label="password hash",
        pattern=re.compile(
            rb"(?<![A-Za-z0-9$])\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1)\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|"
            rb"argon2(?:id|i|d)\$v=\d{1,3}\$[a-z0-9=,]{1,64}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,128})"
        ),
        holds=is_anything,
    ),
)
