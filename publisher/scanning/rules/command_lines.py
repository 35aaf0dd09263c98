"""Credentials handed to commands, and statements of languages that set one without a sign between name and value."""

from __future__ import annotations

import re
from collections.abc import Callable

from publisher.scanning.rules.credential_names import is_credential
from publisher.scanning.rules.passwords import is_handed_over, is_password, is_settled_word
from publisher.scanning.rules.shape import Shape, is_no_placeholder

_ARGUMENT = rb"[\"']?([!-&(-:=-~]{%d,256})"


def is_pair(value: str) -> bool:
    """`user:password`, neither of which only says so."""
    user, _, password = value.partition(":")
    return (
        not user.startswith(("$", "<", "{")) and is_handed_over(password) and user.lower() not in {"user", "username"}
    )


def _password(pattern: bytes, holds: Callable[[str], bool] = is_handed_over) -> Shape:
    return Shape(
        name="command-line-password", label="password on a command line", pattern=re.compile(pattern), holds=holds
    )


COMMAND_LINES = (
    # POSIX utility conventions and GNU's: an option and its argument.
    _password(
        rb"(?i)(?<![a-z0-9-])--?[a-z0-9_-]{0,24}(?:pass(?:word|wd|phrase)?|pwd|storepass|keypass)(?:[ \t]{1,4}|=)"
        + _ARGUMENT % 6
    ),
    _password(
        rb"(?i)(?<![a-z0-9-])--?[a-z0-9_-]{0,24}(?:password|passwd|storepass|keypass)=" + _ARGUMENT % 6, is_settled_word
    ),
    Shape(
        name="command-line-secret",
        label="secret on a command line",
        pattern=re.compile(
            rb"(?i)(?<![a-z0-9-])--?[a-z0-9_-]{0,24}(?:token|api[_-]?key|access[_-]?key|secret(?:[_-]?key)?)"
            rb"(?:[ \t]{1,4}|=)" + _ARGUMENT % 16
        ),
        holds=is_credential,
    ),
    Shape(
        name="command-line-secret",
        label="secret on a command line",
        pattern=re.compile(
            rb"(?i)(?<![a-z0-9-])--?(?:token|api[_-]?key|secret|(?:auth|access)[_-]?token|client[_-]?secret)[ \t]{1,4}"
            + _ARGUMENT % 8
        ),
        holds=is_password,
    ),
    # Manuals of sshpass and mysql: `-p` takes the password.
    _password(rb"(?:sshpass[ \t]{1,4}-p[ \t]{0,4}|mysql(?:dump|admin|import)?\b[^\n]{0,160}?[ \t]-p)" + _ARGUMENT % 6),
    # Manuals of docker, podman, helm, oc, az, psexec, mongo, mosquitto, redis-cli, openssl, OpenLDAP, htpasswd, vault.
    _password(
        rb"(?i)(?<![a-z0-9_-])(?:(?:docker|podman|helm|oc|az|heroku|npm|cf|skopeo|crane)[ \t][^\n]{0,60}?login[ \t]"
        rb"[^\n]{0,160}?-p|psexec(?:64)?[ \t][^\n]{0,160}?-p|mongo(?:dump|sh|export)?[ \t][^\n]{0,160}?-p|"
        rb"mosquitto_(?:pub|sub)[ \t][^\n]{0,160}?-P|redis-cli[ \t][^\n]{0,160}?-a|openssl[ \t][^\n]{0,160}?-k|"
        rb"ldap(?:search|modify|add|delete|whoami)[ \t][^\n]{0,160}?-w|htpasswd[ \t]{1,4}-[a-z]{0,4}b[a-z]{0,4}"
        rb"[ \t]{1,4}[^\s]{1,128}[ \t]{1,4}[\w.@-]{1,64}|vault[ \t]{1,4}login)[ \t]{1,4}" + _ARGUMENT % 8
    ),
    # curl's manual: `-u user:password`; samba's: `-U user%password`.
    Shape(
        name="curl-auth-user",
        label="password for curl",
        pattern=re.compile(
            rb"\bcurl\b[^\n]{0,256}?[ \t](?:-u[ \t]{0,4}|--user[ \t=]{1,4}|--proxy-user[ \t=]{1,4})[\"']?"
            rb"([^\s:\"'/]{1,64}:[!-&(-~]{4,128})"
        ),
        holds=is_pair,
    ),
    _password(rb"[ \t](?:-U|--user)[ \t=]{1,4}[\"']?[\w\\/.-]{1,64}%([!-&(-~]{6,128})"),
    # Manuals of sudo, passwd, chpasswd and openssl; Microsoft's of `net use`.
    _password(
        rb"(?i)echo[ \t]{1,4}(?:-[ne]{1,2}[ \t]{1,4})?[\"']?(?:[\w.-]{1,64}:)?([!-&(-:=-{}~]{6,64})[\"']?"
        rb"[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4}(?:-S|chpasswd|passwd)|chpasswd|passwd[ \t])"
    ),
    _password(rb"(?i)-pass(?:in|out)?[ \t]{1,4}[\"']?pass:([!-&(-~]{4,128})", is_settled_word),
    _password(
        rb"(?i)\bnet[ \t]{1,4}use[ \t][^\n]{0,160}?\\\\[^\s]{1,160}[ \t]{1,4}([!-.0-~][!-~]{5,64})[ \t]{1,4}/user:"
    ),
    # Docker's reference of Dockerfiles, `ENV`; Microsoft's of `setx`; csh's `setenv`: name and value, and no sign.
    Shape(
        name="password-assignment",
        label="password beside its name",
        pattern=re.compile(
            rb"(?i)(?<![a-z0-9_])(?:env|setx|setenv)[ \t]{1,4}[a-z0-9_.-]{0,48}(?:pass(?:word|wd|phrase)?|pwd)"
            rb"[ \t]{1,4}" + _ARGUMENT % 6
        ),
        holds=is_handed_over,
    ),
    Shape(
        name="secret-assignment",
        label="secret beside its name",
        pattern=re.compile(
            rb"(?i)(?<![a-z0-9_])(?:env|setx|setenv)[ \t]{1,4}[a-z0-9_.-]{0,48}(?:secret|token|api[_-]?key|[a-z]_key|"
            rb"(?:access|private)key)[ \t]{1,4}" + _ARGUMENT % 16
        ),
        holds=is_credential,
    ),
    # Microsoft, "ConvertTo-SecureString": plain text in quotation marks.
    Shape(
        name="powershell-secure-string",
        label="PowerShell secure string",
        pattern=re.compile(rb"(?i)ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[\"']([^\"'\s]{6,128})[\"']"),
        holds=is_handed_over,
    ),
    # GNU inetutils manual, ".netrc file".
    Shape(
        name="netrc-password",
        label="password in .netrc",
        pattern=re.compile(
            rb"(?:machine\s{1,8}[^\s]{1,253}|default)\s{1,8}login\s{1,8}[^\s]{1,128}\s{1,8}password\s{1,8}([^\s\"'<>]{6,128})"
        ),
        holds=is_no_placeholder,
    ),
    # PostgreSQL documentation, "The Password File".
    Shape(
        name="pgpass-password",
        label="password in .pgpass",
        pattern=re.compile(
            rb"(?:^|\n)[\w.*-]{1,253}:(?:5432|6432|\*):[\w*-]{1,63}:[\w*-]{1,63}:([^\s:]{4,128})(?=\s|$)"
        ),
        holds=is_handed_over,
    ),
    # Redis documentation, "redis.conf"; Cisco's, "snmp-server community" and "password 7".
    Shape(
        name="password-directive",
        label="password in a directive",
        pattern=re.compile(
            rb"(?:^|\n|\\n)[ \t]{0,8}(?:requirepass|masterauth|snmp-server community|rocommunity|rwcommunity)[ \t]{1,4}"
            + _ARGUMENT % 6
        ),
        holds=is_handed_over,
    ),
    Shape(
        name="password-directive",
        label="password in a directive",
        pattern=re.compile(rb"(?:password|secret|key)[ \t]{1,4}7[ \t]{1,4}([0-9A-F]{8,64})(?![0-9A-Za-z])"),
        holds=lambda value: len(value) % 2 == 0,
    ),
    # A name in words and a value after it, as tickets and chats have it.
    Shape(
        name="secret-assignment",
        label="secret beside its name",
        pattern=re.compile(
            rb"(?i)(?<![a-z])(?:(?!the |that |this |your |each |any |one )"
            rb"[a-z0-9]{3,24}[ _-](?:token|secret)|api[ _-]?key|(?:access|auth|secret|private|license)"
            rb"[ _-]key)(?:[ \t]{1,4}is:?)?[ \t]{1,4}[\"'`]?([a-z0-9_+/.=-]{20,256})"
        ),
        holds=lambda value: is_credential(value) and not value.isdigit(),
    ),
)
