"""The network between Cassandra nodes on loopback, which can be cut.

usage: relay.py DIR NODES PORT

Node N is known to the others at 127.0.1.N, where this program listens, and listens itself at 127.0.0.N. What the nodes say to each
other goes through here; what clients say does not. While DIR/partitioned names a node, nothing to it and nothing from it goes on, and
no connection is closed: that of a network that has lost a link, which sends again what was held back when the link is there again.
"""

import asyncio
import pathlib
import sys

folder, nodes, port = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
PARTITIONED = folder / "partitioned"
CHUNK = 1 << 16
LOOK_EVERY_S = 0.1


def known_as(node):
    return f"127.0.1.{node}"


def names(first_bytes):
    """The node that begins a connection: its first message holds the address it is known at."""
    for node in range(1, nodes + 1):
        if bytes([127, 0, 1, node]) in first_bytes:
            return node
    return None


async def passable(*ends):
    """Returns once none of the nodes is cut off."""
    while True:
        try:
            cut = PARTITIONED.read_text().strip()
        except FileNotFoundError:
            return
        if cut not in map(str, ends):
            return
        await asyncio.sleep(LOOK_EVERY_S)


async def forward(data, reader, writer, ends):
    try:
        while data:
            await passable(*ends)
            writer.write(data)
            await writer.drain()
            data = await reader.read(CHUNK)
    except OSError:
        pass
    finally:
        writer.close()


async def accept(target, reader, writer):
    data = await reader.read(CHUNK)
    ends = (target, names(data[:32]))
    await passable(*ends)
    try:
        back_reader, back_writer = await asyncio.open_connection(f"127.0.0.{target}", port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(forward(data, reader, back_writer, ends), back(back_reader, writer, ends))


async def back(reader, writer, ends):
    await forward(await reader.read(CHUNK), reader, writer, ends)


async def main():
    for node in range(1, nodes + 1):
        await asyncio.start_server(lambda r, w, node=node: accept(node, r, w), known_as(node), port)
    await asyncio.Event().wait()


asyncio.run(main())
