"""An agent's side of the Model Context Protocol, by PyPI's mcp: lists the tools of a server that it starts, and calls them.

Run: mcp_client.py CALLS PROGRAM ARGUMENT…. CALLS is a JSON array of [tool, arguments]. Prints a JSON object; what the server says on
standard error goes to standard error.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def shown(result):
    return {
        "isError": bool(getattr(result, "is_error", getattr(result, "isError", False))),
        "text": "".join(item.text for item in result.content),
        "structured": getattr(result, "structured_content", getattr(result, "structuredContent", None)),
    }


async def main():
    calls = json.loads(sys.argv[1])
    parameters = StdioServerParameters(command=sys.argv[2], args=sys.argv[3:], env=dict(os.environ))
    async with stdio_client(parameters) as streams:
        async with ClientSession(*streams) as session:
            begin = await session.initialize()
            listed = await session.list_tools()
            tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
            report = {
                "revision": getattr(begin, "protocol_version", getattr(begin, "protocolVersion", None)),
                "instructions": begin.instructions, "tools": tools, "calls": [],
            }
            for name, arguments in calls:
                try:
                    report["calls"].append(shown(await session.call_tool(name, arguments)))
                except Exception as error:
                    report["calls"].append({"isError": True, "text": f"{type(error).__name__}: {error}"})
    print(json.dumps(report))


asyncio.run(main())
