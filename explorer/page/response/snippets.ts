import type { Operation } from '../operation.ts';

/**
 * The operation as a command for a shell of POSIX. The token comes from the environment variable `TOKEN`.
 *
 * @param url the endpoint, with its origin
 */
export function curlOf(url: string, operation: Operation): string {
  return [
    `curl ${shellText(url)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${shellText(JSON.stringify(operation))}`,
  ].join(' \\\n  ');
}

/**
 * The operation as a Python program, for the package requests. The token comes from the environment variable `TOKEN`.
 *
 * @param url the endpoint, with its origin
 */
export function pythonOf(url: string, { query, variables = {}, operationName }: Operation): string {
  return `import json
import os

import requests

query = """${pythonText(query)}"""
variables = json.loads("""${pythonText(JSON.stringify(variables, null, 2))}""")

response = requests.post(
    ${JSON.stringify(url)},
    json={"query": query, "variables": variables${operationName === undefined ? '' : `, "operationName": ${JSON.stringify(operationName)}`}},
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    timeout=120,
)
print(json.dumps(response.json(), indent=2))
`;
}

/** A text as one word of a shell of POSIX. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The inside of a Python text between three double quotes. */
function pythonText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
