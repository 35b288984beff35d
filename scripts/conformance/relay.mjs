// Names in front of the gateway have their server's name before them; the suite asks for its own. This puts it on and takes it off.
import { request as ask, createServer } from 'node:http';
import { listen } from '../listen.mjs';

/** Passes requests on to `target` and changes nothing but the names of tools and prompts. */
export async function startRelay(target, prefix) {
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = rename(Buffer.concat(chunks).toString(), prefix);
    const headers = { ...request.headers };
    delete headers['content-length'];
    const named = headers['mcp-name'];
    if (named !== undefined && !named.includes('://')) headers['mcp-name'] = prefix + named;
    const onward = ask(target, {
      method: request.method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    onward.on('response', (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      response.writeHead(answer.statusCode, kept);
      response.flushHeaders();
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        // Only whole lines: a name may be cut in two between chunks.
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        for (const line of lines) response.write(`${line.replaceAll(`"${prefix}`, '"')}\n`);
      });
      answer.on('end', () => response.end(rest.replaceAll(`"${prefix}`, '"')));
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
  return {
    url: `http://127.0.0.1:${await listen(http)}/mcp`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

function rename(body, prefix) {
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return body;
  }
  const { method, params } = message ?? {};
  if ((method === 'tools/call' || method === 'prompts/get') && typeof params?.name === 'string')
    return JSON.stringify({ ...message, params: { ...params, name: prefix + params.name } });
  if (method === 'completion/complete' && typeof params?.ref?.name === 'string') {
    const ref = { ...params.ref, name: prefix + params.ref.name };
    return JSON.stringify({ ...message, params: { ...params, ref } });
  }
  return body;
}
