"""Stands in for Anthropic's package, which needs PyPI: sends the arguments of a call as that does, with nothing but Python itself."""

import json
import os
import types
import urllib.request


class Anthropic:
    def __init__(self):
        self.messages = types.SimpleNamespace(create=self._create)

    def _create(self, **body):
        headers = {
            "content-type": "application/json",
            "x-api-key": os.environ["ANTHROPIC_API_KEY"],
            "anthropic-version": "2023-06-01",
            "user-agent": "Anthropic/Python",
            "x-stainless-lang": "python",
        }
        url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return response.read().decode()
