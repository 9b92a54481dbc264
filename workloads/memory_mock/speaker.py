# SPDX-License-Identifier: Apache-2.0
"""A third implementation of memory_mock's protocol, written only from its description (frames.h).

It has its own packets and uses CRC-32 from zlib, so that it detects an error that server and client share.
"""
import socket
import struct
import zlib

BAR0, BAR1 = 0x100000, 0x140000
ACK, NAK = 0x00, 0x10


def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xD008 if crc & 1 else 0)
    return crc ^ 0xFFFF


def acknowledgement(kind, sequence):
    body = struct.pack(">BBH", kind, 0, sequence)
    return b"\x02" + body + struct.pack("<H", crc16(body))


def packet(kind, sequence, tag, address, length, payload=b"", damage=0):
    enables = 0xFF if length > 4 else 0x0F
    body = struct.pack(">HBBHHBBI", sequence, kind, 0, length // 4 % 1024, 0, tag, enables, address) + payload
    return b"\x03" + body + struct.pack("<I", zlib.crc32(body) ^ damage)


def completion(sequence, tag, payload, damage=0):
    body = struct.pack(">HBBHHHHBB", sequence, 0x4A, 0, len(payload) // 4, 0x0100, len(payload), 0, tag, 0) + payload
    return b"\x03" + body + struct.pack("<I", zlib.crc32(body) ^ damage)


def ramp(first, size):
    return bytes((first + at) % 256 for at in range(size))


class Speaker:
    """The peer of a connection, frame by frame."""

    def __init__(self, connection):
        self.connection = connection
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def receive(self, size):
        data = b""
        while len(data) < size:
            more = self.connection.recv(size - len(data))
            if not more:
                return data
            data += more
        return data

    def ask(self, kind, address, length, payload=b"", tag=3, damage=0):
        frame = packet(kind, self.sequence, tag, address, length, payload, damage)
        self.connection.sendall(frame)
        answer = self.receive(7)
        expected = acknowledgement(NAK if damage else ACK, self.sequence)
        assert answer == expected, (answer, expected)
        self.sequence = (self.sequence + 1) % 4096

    def answer(self, sequence, tag, payload_size):
        """The payload of a completion, after checking its whole frame."""
        frame = self.receive(19 + payload_size)
        kind = 0x4A if payload_size else 0x0A
        header = struct.pack(">HBBHHHHBB", sequence, kind, 0, payload_size // 4, 0x0100, payload_size, 0, tag, 0)
        payload = frame[15:-4]
        assert frame[:15] == b"\x03" + header, frame[:15].hex()
        assert frame[-4:] == struct.pack("<I", zlib.crc32(header + payload))
        self.connection.sendall(acknowledgement(ACK, sequence))
        return payload

    def place_bars(self):
        for bar in range(2):
            self.ask(0x44, 0x10 + 4 * bar, 4, struct.pack("<I", BAR0 + bar * 0x40000))
            self.answer(bar, 3, 0)
