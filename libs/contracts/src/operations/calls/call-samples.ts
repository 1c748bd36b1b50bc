import type { ApiCall } from './api-call.js';

export const LANGUAGES = ['curl', 'Node', 'Python', 'Go'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The file that the samples upload. */
const SENT = 'names.csv';
/** The file that the samples in Node, Python and Go write. curl uses the server's name. */
const WRITTEN = 'answer';

/**
 * Renders a call as a program in each language. The programs read the key from the environment variable `KEY` and need
 * no package.
 */
export function callSamples(call: ApiCall): Record<Language, string> {
  return { curl: curl(call), Node: node(call), Python: python(call), Go: go(call) };
}

/** Returns a string literal that is valid in JavaScript, Python and Go. */
const quoted = (text: string) => JSON.stringify(text);

function curl({ method, url, headers, json, upload, isDownload, needsKey }: ApiCall): string {
  const parts = [
    isDownload ? 'curl -OJL' : 'curl',
    method === 'HEAD' ? '--head' : method !== 'GET' && `-X ${method}`,
    needsKey && `-H "Authorization: Bearer $KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    json !== undefined && `-d '${json.replaceAll("'", String.raw`'\''`)}'`,
    upload && (isForm(upload) ? `-F 'file=@${SENT}'` : `--data-binary '@${SENT}'`),
    `"${url}"`,
  ];
  return parts.filter(Boolean).join(' ');
}

const isForm = (upload: ApiCall['upload']) => upload === 'multipart/form-data';

function node(call: ApiCall): string {
  const { method, url, json, upload, isDownload } = call;
  const headers = headersOf(call).map(
    ([name, value]) =>
      `    ${quoted(name)}: ${value ? quoted(value) : '`Bearer ${process.env.KEY}`'},`,
  );
  const lines = [
    upload && `import { openAsBlob } from 'node:fs';`,
    isDownload && `import { writeFile } from 'node:fs/promises';`,
    (upload || isDownload) && '',
    upload && `const file = await openAsBlob('${SENT}');`,
    isForm(upload) && 'const form = new FormData();',
    isForm(upload) && `form.append('file', file, '${SENT}');`,
    `const response = await fetch(${quoted(url)}, {`,
    method !== 'GET' && `  method: '${method}',`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    json !== undefined && `  body: ${quoted(json)},`,
    upload && `  body: ${isForm(upload) ? 'form' : 'file'},`,
    '});',
    `console.log(response.status, response.headers.get('x-credits-cost'));`,
    isDownload
      ? `await writeFile('${WRITTEN}', response.body);`
      : 'console.log(await response.text());',
  ];
  return linesOf(lines);
}

function python(call: ApiCall): string {
  const { method, url, json, upload, isDownload, needsKey } = call;
  // A download may redirect to another host, to which urllib would send the headers of the request.
  const isKeyApart = needsKey && isDownload;
  const headers = headersOf(isKeyApart ? { ...call, needsKey: false } : call).map(
    ([name, value]) => `        ${quoted(name)}: ${value ? quoted(value) : PYTHON_KEY},`,
  );
  const ending = isForm(upload) ? ` + end` : '';
  const lines = [
    `import ${['os', isDownload && 'shutil', 'urllib.request'].filter(Boolean).join(', ')}`,
    '',
    ...(upload ? [`with open("${SENT}", "rb") as file:`, '    data = file.read()'] : []),
    ...(isForm(upload) ? PYTHON_FORM : []),
    'request = urllib.request.Request(',
    `    ${quoted(url)},`,
    `    method="${method}",`,
    ...(headers.length > 0 || isForm(upload)
      ? ['    headers={', ...headers, isForm(upload) && `        ${PYTHON_FORM_TYPE}`, '    },']
      : []),
    json !== undefined && `    data=${quoted(json)}.encode(),`,
    upload && `    data=${isForm(upload) ? 'start + data' : 'data'}${ending},`,
    ')',
    isKeyApart && `request.add_unredirected_header("Authorization", ${PYTHON_KEY})`,
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.headers["X-Credits-Cost"])',
    ...(isDownload
      ? [`    with open("${WRITTEN}", "wb") as file:`, '        shutil.copyfileobj(response, file)']
      : ['    print(response.read().decode())']),
  ];
  return linesOf(lines);
}

const PYTHON_KEY = '"Bearer " + os.environ["KEY"]';

/** The lines that encode a form in Python, whose standard library has no multipart encoder (RFC 7578). */
const PYTHON_FORM = [
  'edge = "--------------------edge"',
  `start = (f'--{edge}\\r\\nContent-Disposition: form-data; name="file"; filename="${SENT}"\\r\\n\\r\\n').encode()`,
  `end = f"\\r\\n--{edge}--\\r\\n".encode()`,
];
const PYTHON_FORM_TYPE = '"Content-Type": f"multipart/form-data; boundary={edge}",';

function go(call: ApiCall): string {
  const { method, url, json, upload, isDownload } = call;
  const body =
    json === undefined ? (upload ? goBody(upload) : 'nil') : `strings.NewReader(${quoted(json)})`;
  const imports = [
    ...(isForm(upload) ? ['bytes'] : []),
    'fmt',
    'io',
    ...(isForm(upload) ? ['mime/multipart'] : []),
    'net/http',
    'os',
    ...(json === undefined ? [] : ['strings']),
  ];
  const usesOs = call.needsKey || isDownload || upload;
  const lines = [
    'package main',
    '',
    'import (',
    ...imports.filter((name) => name !== 'os' || usesOs).map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(upload ? goFile(upload) : []),
    `\trequest, err := http.NewRequest("${method}", ${quoted(url)}, ${body})`,
    '\tcheck(err)',
    ...headersOf(call).map(
      ([name, value]) =>
        `\trequest.Header.Set(${quoted(name)}, ${value ? quoted(value) : '"Bearer "+os.Getenv("KEY")'})`,
    ),
    isForm(upload) && '\trequest.Header.Set("Content-Type", form.FormDataContentType())',
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tcheck(err)',
    '\tdefer response.Body.Close()',
    '\tfmt.Println(response.StatusCode, response.Header.Get("X-Credits-Cost"))',
    ...(isDownload
      ? [
          `\tanswer, err := os.Create("${WRITTEN}")`,
          '\tcheck(err)',
          '\t_, err = io.Copy(answer, response.Body)',
        ]
      : ['\tanswer, err := io.ReadAll(response.Body)', '\tfmt.Println(string(answer))']),
    '\tcheck(err)',
    '}',
    '',
    'func check(err error) {',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '}',
  ];
  return linesOf(lines);
}

const goBody = (upload: ApiCall['upload']) => (isForm(upload) ? '&body' : 'file');

function goFile(upload: ApiCall['upload']): string[] {
  const open = [`\tfile, err := os.Open("${SENT}")`, '\tcheck(err)'];
  if (!isForm(upload)) return open;
  return [
    ...open,
    '\tvar body bytes.Buffer',
    '\tform := multipart.NewWriter(&body)',
    `\tpart, err := form.CreateFormFile("file", "${SENT}")`,
    '\tcheck(err)',
    '\t_, err = io.Copy(part, file)',
    '\tcheck(err)',
    '\tcheck(form.Close())',
  ];
}

/** Returns the headers of a call; a header without a value is for the key. */
function headersOf({ headers, needsKey }: ApiCall): (readonly [name: string, value?: string])[] {
  return [...(needsKey ? [['Authorization'] as const] : []), ...Object.entries(headers)];
}

const linesOf = (lines: readonly (string | false | undefined)[]) =>
  lines.filter((line) => typeof line === 'string').join('\n');
