"""A second, independent client: the Python SDK.

Plays one session with the server whose command line is given, and prints what it saw as JSON.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def play(command: list[str]) -> dict:
    """Returns the server's name, the protocol version, the tools, and the replies of a short session in their order."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ), cwd=os.getcwd())
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        greeting = await session.initialize()
        tools = await session.list_tools()

        async def send(**arguments) -> dict:
            result = await session.call_tool('send', arguments)
            text = ''.join(block.text for block in result.content if block.type == 'text')
            images = [block.mimeType for block in result.content if block.type == 'image']
            return {'text': text, 'images': images, 'error': bool(result.isError)}

        replies = [
            await send(python='answer = 6 * 7; answer'),
            await send(python='name = input("name> ")'),
            await send(stdin='Ada\n'),
            await send(python='while True: pass', timeout_ms=0),
            await send(control='interrupt'),
            await send(python='import matplotlib.pyplot as plt; _ = plt.plot([1, 2])'),
            await send(nonsense=1),
            await send(control='restart', python='"answer" in globals()'),
        ]
    return {
        'name': greeting.serverInfo.name,
        'protocol': greeting.protocolVersion,
        'tools': [tool.name for tool in tools.tools],
        'replies': replies,
    }


print(json.dumps(asyncio.run(play(sys.argv[1:]))))
