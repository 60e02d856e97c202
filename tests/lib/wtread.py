#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a trace by what weir-trace(5) says, and nothing else; prints JSON lines.

usage: wtread.py TRACE             (zstd does the decompressing)
       wtread.py --as-read DUMP    what weir dump --json printed, in the same form: without what
                                   is only derived, keys sorted
"""
import json
import re
import struct
import subprocess
import sys

M64 = (1 << 64) - 1


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value & M64

    def blob(self):
        length = self.varint()
        assert length <= self.left()
        self.at += length
        return self.data[self.at - length:self.at]

    def rest(self):
        return self.data[self.at:]


def unzigzag(value):
    return (value >> 1) ^ (M64 if value & 1 else 0)


def page_tables(page):
    """The tables of kinds, numbers and texts, out of the page's source."""
    tables, section = {}, None
    for line in open(page, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith(".Ss "):
            section = line[4:]
            tables[section] = {}
        elif line.startswith(".Sh "):
            section = None
        elif section in ("Kinds", "Numbers", "Texts") and line.startswith(".It "):
            cells = line[4:].split(" Ta ")
            step = 2 if section == "Kinds" else 3
            for i in range(0, len(cells) - 1, step):
                if cells[i].strip():
                    tables[section][int(cells[i].rstrip("*"))] = (cells[i + 1], "*" in cells[i])
    return tables["Kinds"], tables["Numbers"], tables["Texts"]


def text(data):
    """Bytes as Python keeps them in text: what is no UTF-8 becomes U+DC80 and up."""
    return data.decode("utf-8", "surrogateescape")


def file_of(record, last):
    cursor = Cursor(record)
    made = {"id": (last + unzigzag(cursor.varint())) & M64}
    for key in ("dev", "ino", "generation", "size", "mode", "nlink", "flags"):
        made[key] = cursor.varint()
    made["path"] = cursor.rest()
    return made


def thread_of(record):
    cursor = Cursor(record)
    made = {key: cursor.varint() for key in ("tid", "pid", "uid", "gid")}
    made["comm"] = cursor.blob()
    return made


class Block:
    """One block's content: yields its events."""

    def __init__(self, content, names):
        self.kinds, self.numbers, self.texts = names
        assert content[:4] == b"WTRB" and content[4] == 1
        header, body = struct.unpack_from("<HI", content, 6)
        (self.base, self.wall) = struct.unpack_from("<QQ", content, 32)
        self.body = Cursor(content[header:header + body])
        self.files, self.threads = [], []

    def events(self):
        while self.body.left():
            kind, record = self.body.varint(), self.body.blob()
            cursor = Cursor(record)
            if kind == 0:
                yield {"event": "end"}
            elif kind == 1:
                yield {"event": "property", "name": text(cursor.blob()), "value": text(cursor.blob())}
            elif kind == 2:
                self.files.append(file_of(record, self.files[-1]["id"] if self.files else 0))
            elif kind == 3:
                self.threads.append(thread_of(record))
            elif kind == 4:
                yield {"event": "handle", "handle": cursor.varint(), "file": cursor.varint(),
                       "flags": cursor.varint()}
            elif kind == 5:
                yield from self.ops(cursor)
            elif kind == 6:
                stamp = cursor.varint()
                yield {"event": "mark", "mono_ns": stamp, "unix_ns": (stamp + self.wall) & M64,
                       "name": text(cursor.blob()), "text": text(cursor.blob())}
            elif kind == 7:
                counts = {"event": "counts"}
                while cursor.left():
                    row = [cursor.varint() for _ in range(4)]
                    counts[self.kinds[row[0]][0]] = {"written": row[1], "dropped": row[2],
                                                     "filtered": row[3]}
                yield counts

    def ops(self, cursor):
        count = cursor.varint()
        columns = {}
        while cursor.left():
            number = cursor.varint()
            columns[number] = Cursor(cursor.blob())

        def take(number):
            return columns[number].varint() if number in columns else 0

        def take_time(number):
            lowest = columns[number] if number in columns else None
            value = take(16 + number) << 8
            if lowest:
                value |= lowest.data[lowest.at]
                lowest.at += 1
            return value

        def stamp(number, since):
            value = take(number) if number == 8 else take_time(number)
            return (since + unzigzag(value - 1)) & M64 if value else 0

        place = seq = 0
        arrive = self.base
        expected, last = {}, {}
        for _ in range(count):
            op = {"event": "op"}
            op["op"] = self.kinds[take(1)][0]
            thread = take(2)
            place = (place + unzigzag(take(3))) & M64
            seq = (seq + 1 + unzigzag(take(4))) & M64
            arrive = (arrive + unzigzag(take_time(5))) & M64
            issued = stamp(6, arrive)
            backed = stamp(7, issued or arrive)
            due = stamp(8, arrive)
            done = stamp(9, backed or arrive)
            offset = (expected.get(place, 0) + unzigzag(take(10))) & M64
            size = take(11)
            result = (size - unzigzag(take(12))) & M64
            op.update(seq=seq, arrive_unix_ns=(arrive + self.wall) & M64, arrive_ns=arrive,
                      issued_ns=issued, backed_ns=backed, due_ns=due, done_ns=done,
                      offset_bytes=offset, size_bytes=size, result_bytes=result, errno=take(13))
            flags = take(14)
            for bit, key in enumerate(("injected", "interrupted", "direct", "estale_recovered")):
                if flags >> bit & 1:
                    op[key] = True
            op["file"] = self.files[place - 1]["id"] if place else 0
            if place:
                op["path"] = text(self.files[place - 1]["path"])
            nobody = {"tid": 0, "pid": 0, "uid": 0, "gid": 0, "comm": b""}
            who = self.threads[thread - 1] if thread else nobody
            op.update(thread=who["tid"], process=who["pid"], uid=who["uid"], gid=who["gid"],
                      comm=text(who["comm"]))
            op.update(self.arguments(take, columns, last))
            if place and op["op"] in ("read", "write"):
                expected[place] = (offset + result) & M64
            yield op

    def arguments(self, take, columns, last):
        have, found = take(15), {}
        for bit, (key, is_place) in self.numbers.items():
            if have >> bit & 1:
                last[bit] = (last.get(bit, 0) + unzigzag(take(32 + bit))) & M64
                value = last[bit]
                found[key] = self.files[value - 1]["id"] if is_place and value else value
        for bit, (key, _) in self.texts.items():
            if have >> 32 + bit & 1:
                length = take(96 + bit)
                column = columns.get(64 + bit)
                data = column.data[column.at:column.at + length] if column else b""
                if column:
                    column.at += length
                found[key] = data.hex() if key == "hash" else text(data)
        return found


def contents(data):
    """The blocks in what zstd gives: each says in its header how long it is."""
    at = 0
    while at < len(data):
        header, body = struct.unpack_from("<HI", data, at + 6)
        yield data[at:at + header + body]
        at += header + body


DERIVED = ("time", "service_ns", "hold_ns", "total_ns", "error", "parent_path", "new_parent_path",
           "to_path")


def put(event):
    print(json.dumps(event, ensure_ascii=True, sort_keys=True))


def as_read(name):
    with open(name, encoding="utf-8", errors="surrogatepass") as lines:
        for line in lines:
            event = json.loads(line)
            if event["event"] in ("trace", "summary"):
                continue
            for key in [key for key in event if key.endswith("_hex")]:
                event[key[:-4]] = text(bytes.fromhex(event.pop(key)))
            for key in DERIVED:
                event.pop(key, None)
            if event["event"] == "handle":
                event.pop("path", None)
            put(event)


def main():
    if sys.argv[1] == "--as-read":
        as_read(sys.argv[2])
        return
    page = re.sub(r"tests/lib/[^/]*$", "man/weir-trace.5", __file__)
    names = page_tables(page)
    data = subprocess.run(["zstd", "-dcq", "--", sys.argv[1]], check=True,
                          stdout=subprocess.PIPE).stdout
    for content in contents(data):
        for event in Block(content, names).events():
            put(event)


main()
