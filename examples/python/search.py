"""Searches a catalog of a Quartermaster gateway without a model.

    python3 search.py [gateway] [catalog] [request]

Uses httpx where it is installed, and the standard library where it is not.
A key, where the gateway has keys, comes from QUARTERMASTER_KEY.
"""

import json
import os
import sys

KEY = os.environ.get("QUARTERMASTER_KEY")
HEADERS = {"x-api-key": KEY} if KEY else {}


def post(url, body):
    try:
        import httpx
    except ImportError:
        from urllib.request import Request, urlopen

        request = Request(url, json.dumps(body).encode(), {**HEADERS, "content-type": "application/json"})
        with urlopen(request, timeout=30) as response:
            return json.load(response)
    response = httpx.post(url, json=body, headers=HEADERS, timeout=30)
    response.raise_for_status()
    return response.json()


def main(gateway="http://127.0.0.1:8787", catalog="sample", query="give the customer his money back"):
    answer = post(f"{gateway}/v1/catalogs/{catalog}/search", {"query": query, "limit": 3})
    result = answer["results"][0]
    print(f'{result["verdict"]} in {answer["catalog"]["tool_count"]} tools')
    for hit in result["hits"]:
        print(f'{hit["score"]:6.2f}  {hit["tool"]}')


if __name__ == "__main__":
    main(*sys.argv[1:])
