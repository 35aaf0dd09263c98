"""Private keys, the words they are made from, and what passwords can be guessed against."""

from __future__ import annotations

import re

from publisher.scanning.rules.shape import END, START, Shape, is_anything, is_random, is_very_random

# Words of no list of seeds (BIP 39), which prose can't do without.
_PROSE = re.compile(r"\b(?:the|and|for|are|was|were|from|has|have|been|not|your|words?|which|into)\b")


def is_seed(value: str) -> bool:
    """Twelve to twenty-four words, nearly all of them different, that make no sentence."""
    words = value.split()
    return not _PROSE.search(value) and len(set(words)) >= len(words) - 2


KEY_MATERIAL = (
    # RFC 7468 labels; then within reach a run of base64 that no example text has.
    Shape(
        name="private-key",
        label="private key block",
        pattern=re.compile(
            rb"-{4,5} ?BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:(?!-----)[\s\S]){0,400}?"
            rb"(?:[A-Za-z0-9+/]{32}|MI[A-Za-z0-9+/]{12})"
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
    # PuTTY manual, appendix "PPK file format".
    Shape(
        name="putty-private-key",
        label="PuTTY private key",
        pattern=re.compile(rb"PuTTY-User-Key-File-\d[\s\S]{0,2000}?Private-Lines: ?\d{1,3}\s{1,2}[A-Za-z0-9+/]{32}"),
        holds=is_anything,
    ),
    # RFC 7292 (PKCS #12): a store with a private key; who lists it among files tells where to look for it.
    # What a setting names (`store.file=env/cert.p12`) lies where it runs.
    Shape(
        name="private-key-store",
        label="name of a private key store",
        pattern=re.compile(rb"(?i)(?<![\w./\\=%-])[\w./\\-]{1,200}\.(?:p12|pfx)(?![\w-])"),
        holds=is_anything,
    ),
    # RFC 7517: the private part of a key of two, or the octets of a symmetric one.
    Shape(
        name="private-jwk",
        label="private JSON web key",
        pattern=re.compile(
            rb"\"kty\"\s{0,4}:\s{0,4}\"(?:RSA|EC|OKP)\"[^{}]{0,4000}?\"d\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{32,1400})\"|"
            rb"\"d\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{32,1400})\"[^{}]{0,4000}?\"kty\"|"
            rb"\"kty\"\s{0,4}:\s{0,4}\"oct\"[^{}]{0,400}?\"k\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{16,200})\""
        ),
        holds=is_random,
    ),
    # W3C XML signatures as .NET extends them, `RSA.ToXmlString(true)`.
    Shape(
        name="private-key",
        label="private RSA key in XML",
        pattern=re.compile(rb"<RSAKeyValue>[\s\S]{0,3000}?<(?:D|P|Q)>\s{0,8}([A-Za-z0-9+/]{24})"),
        holds=is_anything,
    ),
    # Ansible documentation, "Format of files encrypted with Ansible Vault".
    Shape(
        name="ansible-vault",
        label="Ansible vault",
        pattern=re.compile(rb"\$ANSIBLE_VAULT;\d\.\d;AES(?:256)?(?:;[\w.-]{1,64})?(?:\s|\\[rn]){1,40}([0-9a-f]{40})"),
        holds=is_anything,
    ),
    # BIP 32 and SLIP 132: extended private keys.
    Shape(
        name="extended-private-key",
        label="extended private key of a wallet",
        pattern=re.compile(START + rb"[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{105,109}" + END),
        holds=is_very_random,
    ),
    # Stellar's SEP 23: an Ed25519 seed begins with S.
    Shape(
        name="stellar-secret-seed",
        label="secret seed of a Stellar account",
        pattern=re.compile(START + rb"S[A-D][A-Z2-7]{54}" + END),
        holds=is_very_random,
    ),
    # BIP 39: the words a wallet is restored from.
    Shape(
        name="mnemonic",
        label="seed words of a wallet",
        pattern=re.compile(
            rb"(?i)(?:mnemonic|seed|(?:recovery|secret|backup|wallet)[_ -]{0,1}(?:phrase|words))[a-z_ -]{0,16}"
            rb"[\"'\]]{0,2}[ \t]{0,4}[:=(][ \t]{0,4}[\"'`]?((?:[a-z]{3,8} {1,2}){11,23}[a-z]{3,8})(?![a-z ])"
        ),
        holds=is_seed,
    ),
    # Ethereum's yellow paper: a key is a number of 256 bits.
    Shape(
        name="ethereum-private-key",
        label="private key in hex digits",
        pattern=re.compile(rb"(?i)priv(?:ate)?[_ -]?key[^\n0-9a-f]{0,12}(?:0x)?([0-9a-f]{64})(?![0-9a-z])"),
        holds=is_random,
    ),
    # Docker documentation, "Join a swarm"; Kubernetes', "Bootstrap tokens"; that of k3s.
    Shape(
        name="cluster-token",
        label="token to join a cluster",
        pattern=re.compile(
            rb"K10[0-9a-f]{64}::[a-z]{1,16}:([0-9a-f]{32})|--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})(?![a-z0-9])"
        ),
        holds=is_random,
    ),
    # crypt(5): bcrypt, MD5, SHA-256, SHA-512 and Argon2 hashes, which can be guessed against.
    Shape(
        name="password-hash",
        label="password hash",
        pattern=re.compile(
            rb"(?<![A-Za-z0-9$])\$(?:y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{43}|2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1)\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|"
            rb"argon2(?:id|i|d)\$v=\d{1,3}\$[a-z0-9=,]{1,64}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,128})"
        ),
        holds=is_anything,
    ),
    # Manuals of Django, passlib, OpenLDAP, Apache and PostgreSQL, on how passwords are stored.
    Shape(
        name="password-hash",
        label="password hash",
        pattern=re.compile(
            rb"(?:pbkdf2_sha(?:1|256|512)\$\d{1,8}\$[\w./+]{1,64}\$[A-Za-z0-9+/]{27,88}|"
            rb"\$pbkdf2(?:-sha\d{1,3})?\$\d{1,8}\$[\w./+]{1,64}\$[A-Za-z0-9./+]{27,88}|"
            rb"\$scrypt\$ln=\d{1,2},r=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]{1,64}\$[A-Za-z0-9+/]{43}|"
            rb"scrypt:\d{1,8}:\d{1,2}:\d{1,2}\$[A-Za-z0-9]{1,64}\$[0-9a-f]{128}|pbkdf2:sha\d{1,3}:\d{1,8}\$[A-Za-z0-9]{1,64}\$[0-9a-f]{40,128}|"
            rb"\{(?:S?SHA(?:256|384|512)?|SMD5|MD5|CRYPT)\}[A-Za-z0-9+/$.]{16,120}|"
            rb"SCRAM-SHA-(?:1|256|512)\$\d{1,8}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=]{20,90}:[A-Za-z0-9+/=]{20,90}|"
            rb"\$(?:P|H)\$[./A-Za-z0-9]{31}|:\d{3,6}:[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}:::)"
        ),
        holds=is_anything,
    ),
)
