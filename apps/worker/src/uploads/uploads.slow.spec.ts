import { PassThrough } from 'node:stream';
import { deflateRawSync, gzipSync, crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OPERATIONS, type UploadAnswer, type UploadsAnswer, kindOf } from '#libs/contracts';
import { type Problem, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { UploadFormsService } from './upload-forms.service.js';

const PATH = '/internal/uploads';
const TUS = { 'tus-resumable': '1.0.0' };
const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' };
const under = new WorkerUnderTest();

beforeAll(() => under.start());
afterAll(() => under.stop());

async function readOf(content: Buffer | string): Promise<UploadAnswer> {
  const accountId = newId();
  const { id } = await under.upload(accountId, content);
  const read = await under.endOfUpload(accountId, id);
  await waitFor('the file to go', async () => (await under.filesOf(id)).length === 0);
  return read;
}

interface ZipEntry {
  name: string;
  content: Buffer;
  mode?: number;
}

/** Returns a ZIP file according to PKWARE's APPNOTE. */
function zipOf(...entries: ZipEntry[]): Buffer {
  const [bodies, heads]: Buffer[][] = [[], []];
  let at = 0;
  for (const { name, content, mode = 0o100644 } of entries) {
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    const madeBy = Buffer.from([20, 3]);
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, rest, Buffer.from(name)]));
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, directory, end]);
}

const NAMES = 'name-1.com\nNAME-1.com\nno name\n\nname-2.de\n';
const COUNTED = { lines: 4, unique: 2, invalid: 1, duplicates: 1 };

describe('a file of names', () => {
  it('the names in a file are counted, whether the file is plain, gzipped or the only entry of a zip', async () => {
    const text = Buffer.from(NAMES);
    for (const file of [text, gzipSync(text), zipOf({ name: 'a.txt', content: text })]) {
      const read = await readOf(file);
      expect(read).toMatchObject({ state: 'ready', counts: COUNTED, size_bytes: file.length });
      expect(read.invalid_lines).toEqual([{ line: 3, message: expect.any(String) }]);
    }
  });

  it('in a CSV file, the names are in the column that the header names, or in the column with the first name', async () => {
    const titled = '\ufeffid;Domain;note\r\n1;"a-1.com";"x;y"\r\n2;a-2.com;\r\n';
    expect((await readOf(titled)).counts).toMatchObject({ lines: 2, unique: 2, invalid: 0 });
    const bare = '1,b-1.com,"say ""hi"""\n2,b-2.com,x\n3,,x\n';
    expect((await readOf(bare)).counts).toMatchObject({ lines: 3, unique: 2, invalid: 1 });
    const long = `name\n${'a'.repeat(256)}.com\n${'x'.repeat(200_000)}\nc-1.com`;
    expect((await readOf(long)).counts).toMatchObject({ lines: 3, unique: 1, invalid: 2 });
  });

  it('S72: a zip is rejected unless it contains exactly one file, of any name, and no link', async () => {
    const content = Buffer.from(NAMES);
    const evil = await readOf(zipOf({ name: '../../etc/passwd', content }));
    expect(evil).toMatchObject({ state: 'ready', counts: COUNTED });
    const many = Array.from({ length: 10_000 }, (_, n) => ({ name: `${n}`, content }));
    const link = { name: 'a', content: Buffer.from('/etc/passwd'), mode: 0o120777 };
    for (const file of [zipOf(...many), zipOf(), zipOf(link), zipOf({ name: 'a/', content })]) {
      expect(await readOf(file)).toMatchObject({
        state: 'refused',
        refusal: { reason: 'not_one_entry' },
      });
    }
    const nested = zipOf({ name: 'a.gz', content: gzipSync(content) });
    for (const file of [nested, gzipSync(nested)]) {
      expect((await readOf(file)).refusal?.reason).toBe('nested_archive');
    }
  });

  it('S73: the content of a file decides: programs, other encodings, broken archives and files without names are rejected', async () => {
    const packed = gzipSync(Buffer.from(NAMES.repeat(1_000)));
    const zip = zipOf({ name: 'a', content: Buffer.from(NAMES) });
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(zip);
      copy.writeUInt32LE(value, at);
      return copy;
    };
    const directory = zip.readUInt32LE(zip.length - 6);
    const files: [Buffer | string, string][] = [
      [Buffer.from('MZ\x90\0\x03\0\0\0name.com', 'latin1'), 'not_text'],
      [Buffer.from('\ufeffname.com', 'utf16le'), 'not_text'],
      [gzipSync(Buffer.alloc(256 * 1024 ** 2)), 'not_text'],
      [packed.subarray(0, packed.length - 20), 'broken_archive'],
      [zip.subarray(0, zip.length - 30), 'broken_archive'],
      ['PK', 'broken_archive'],
      // In these archives, the directory or the entry begins after the end of the file, or the content has another
      // checksum.
      [changed(zip.length - 6, 0x7f_ff_ff_f0), 'broken_archive'],
      [changed(directory + 42, 5_000), 'broken_archive'],
      [changed(directory + 16, 1), 'broken_archive'],
      ['', 'no_names'],
      ['domain\n', 'no_names'],
      ['-\n!\n', 'no_names'],
    ];
    for (const [file, reason] of files) {
      expect([reason, await readOf(file)]).toMatchObject([
        reason,
        { state: 'refused', refusal: { reason, detail: expect.stringMatching(/\.$/) } },
      ]);
    }
  });

  it('S75: a file’s name is displayed without its path or its invisible characters', async () => {
    const accountId = newId();
    const { text } = await under.sendForm(accountId, NAMES, '', '../../etc/pa\u061css\u202ewd');
    const { id, file_name: name } = JSON.parse(text) as UploadAnswer;
    expect(name).toBe('passwd');
    await under.endOfUpload(accountId, id);
  });

  it.each(['../../etc/passwd', 'a\r\nX: y', '\u202egpj.exe', '..', '/uploads/content'])(
    'S75: an upload called %j is stored under generated names, by form and by tus',
    async (name) => {
      const accountId = newId();
      const keys: string[] = [];
      const { write } = under.files;
      const spy = jest.spyOn(under.files, 'write').mockImplementation(async (key, ...rest) => {
        keys.push(key);
        return write.call(under.files, key, ...rest);
      });
      const formName = name.replace(/[\r\n]/g, '%0D%0A');
      const { text } = await under.sendForm(accountId, NAMES, '', formName);
      const { id } = JSON.parse(text) as UploadAnswer;
      await under.endOfUpload(accountId, id);
      const headers = {
        ...PIECE,
        'upload-length': String(NAMES.length),
        'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
      };
      const begun = await under.send('POST', PATH, { accountId, headers, body: NAMES });
      expect(begun.status).toBe(201);
      const tusId = String(begun.headers.location).split('/').at(-1)!;
      const read = await under.endOfUpload(accountId, tusId);
      expect([read.state, read.file_name]).toEqual([
        'ready',
        expect.not.stringMatching(/[\r\n\u202e]/),
      ]);
      spy.mockRestore();
      const own = new RegExp(`^uploads/(${id}|${tusId})/(content|pieces/0-[0-9a-f-]{36})$`);
      expect(keys.length).toBeGreaterThanOrEqual(2);
      expect(keys.filter((key) => !own.test(key))).toEqual([]);
    },
  );
});

describe('an upload by form', () => {
  const keyField = () =>
    `--edge\r\nContent-Disposition: form-data; name="idempotency_key"\r\n\r\n${newId()}\r\n`;

  it('a form that is sent twice with the same key creates one upload, even if the second form is broken', async () => {
    const accountId = newId();
    const field = keyField();
    const first = await under.upload(accountId, NAMES, field);
    expect((await under.upload(accountId, NAMES, field)).id).toBe(first.id);
    expect((await under.upload(newId(), NAMES, field)).id).not.toBe(first.id);
    const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
    const file =
      '--edge\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\na.com\r\n';
    const body = `${field}${file}${file}--edge--\r\n`;
    expect((await under.send('POST', PATH, { accountId, headers, body })).status).toBe(400);
    expect((await under.upload(accountId, NAMES, field)).id).toBe(first.id);
  });

  it('a form sent several times at once with the same key creates one upload, and the other requests can be repeated', async () => {
    const accountId = newId();
    const field = keyField();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => under.sendForm(accountId, NAMES, field)),
    );
    const codes = answers.map(({ status, text }) => JSON.parse(text).code ?? status);
    expect(codes).toContain(201);
    expect(codes.filter((code) => code !== 201 && code !== 'idempotency_key_running')).toEqual([]);
    const { id } = await under.upload(accountId, NAMES, field);
    const list = await under.gateway.call('GET', PATH, { accountId });
    expect(list).toMatchObject({ uploads: [{ id }] });
  });

  it('400: an invalid form, or one without exactly one file, leaves nothing behind', async () => {
    const accountId = newId();
    const type = { 'content-type': 'multipart/form-data; boundary=edge' };
    const part =
      '--edge\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\na.com\r\n';
    const key = '--edge\r\nContent-Disposition: form-data; name="idempotency_key"\r\n\r\na b\r\n';
    const ended = [`${part}${part}--edge--\r\n`, `${key}${part}--edge--\r\n`];
    for (const body of ['', 'nonsense', '--edge--\r\n', part, ...ended]) {
      const answer = await under.send('POST', PATH, { accountId, headers: type, body });
      expect([body, answer.status]).toEqual([body, 400]);
    }
    const bare = { 'content-type': 'multipart/form-data' };
    const answer = await under.send('POST', PATH, { accountId, headers: bare, body: part });
    expect(answer.status).toBe(400);
    const list = await under.gateway.call('GET', PATH, { accountId });
    expect(list).toMatchObject({ uploads: [] });
  });

  it('a form with too many parts is refused at once, however many follow', async () => {
    const forms = under.worker.app.get(UploadFormsService, { strict: false });
    const body = new PassThrough();
    const taken = forms.take(newId(), body, 'multipart/form-data; boundary=X');
    body.write('--X\r\n\r\n\r\n'.repeat(30));
    await expect(taken).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('a form whose client disconnects leaves nothing behind, and is not logged as a failure of the service', async () => {
    const accountId = newId();
    const forms = under.worker.app.get(UploadFormsService, { strict: false });
    const body = new PassThrough();
    body.on('error', () => {});
    const taken = forms.take(accountId, body, 'multipart/form-data; boundary=X');
    body.write(
      '--X\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na.com\n',
    );
    const list = async () =>
      (await under.gateway.call<UploadsAnswer>('GET', PATH, { accountId })).uploads;
    await waitFor('the upload', async () => (await list()).length === 1);
    body.destroy(new Error('reset'));
    await expect(taken).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    expect(await list()).toEqual([]);
  });
});

const ROWS_WITH_ID = OPERATIONS.filter(
  (row) =>
    row.owner.service === 'worker' &&
    row.owner.path.includes('{id}') &&
    // The tus library accepts only ids of another format.
    (kindOf(row) !== 'upload' || row.method === 'DELETE'),
);

it.each(ROWS_WITH_ID.map((row) => [row.name, row] as const))(
  'S89: %s with an id in another format answers 404 or 400',
  async (_name, { method, owner, body }) => {
    const accountId = newId();
    for (const id of ['x', 'undefined', `${newId()}0`]) {
      const path = owner.path.replaceAll(/\{\w+\}/g, id);
      const asked = under.gateway.call(method as 'GET', path, { accountId, body: body?.example });
      const refusal = await asked.catch((error: Problem) => error);
      expect([400, 404]).toContain((refusal as Problem).status);
    }
  },
);

it('S89: a replay of a delivery whose id has another format answers 404', async () => {
  const accountId = newId();
  const body = { url: 'https://hooks.example.com/', events: ['job.completed'] };
  const path = '/internal/webhooks';
  const { id } = await under.gateway.call<{ id: string }>('POST', path, { accountId, body });
  const replay = under.gateway.call('POST', `${path}/${id}/deliveries/x/replay`, { accountId });
  await expect(replay).rejects.toMatchObject({ status: 404 });
});

describe('an upload by tus', () => {
  async function create(accountId: string, length: number): Promise<string> {
    const headers = {
      ...TUS,
      'upload-length': String(length),
      'upload-metadata': 'filename YS5jc3Y=',
    };
    const answer = await under.send('POST', PATH, { accountId, headers });
    expect(answer.status).toBe(201);
    return String(answer.headers.location);
  }

  const append = (accountId: string, path: string, offset: number, body: string) =>
    under.send('PATCH', path, {
      accountId,
      headers: { ...PIECE, 'upload-offset': String(offset) },
      body,
    });

  it('an upload arrives in pieces, each of which begins where the previous one ended, and is read after the last', async () => {
    const accountId = newId();
    const path = await create(accountId, NAMES.length);
    expect((await append(accountId, path, 0, NAMES.slice(0, 15))).status).toBe(204);
    expect((await append(accountId, path, 3, 'x')).status).toBe(409);
    const head = await under.send('HEAD', path, { accountId, headers: TUS });
    expect(head.headers).toMatchObject({
      'upload-offset': '15',
      'upload-length': String(NAMES.length),
    });
    const stranger = newId();
    for (const method of ['HEAD', 'DELETE'] as const) {
      const { status } = await under.send(method, path, { accountId: stranger, headers: TUS });
      expect([method, status]).toEqual([method, 404]);
    }
    expect((await append(stranger, path, 15, 'x')).status).toBe(404);
    expect((await append(accountId, path, 15, NAMES.slice(15))).status).toBe(204);
    const id = path.split('/').at(-1)!;
    const read = await under.endOfUpload(accountId, id);
    expect(read).toMatchObject({ state: 'ready', file_name: 'a.csv', counts: COUNTED });
  });

  it('two concurrent writers of the same bytes do not both succeed, and no byte is stored twice', async () => {
    const accountId = newId();
    const path = await create(accountId, NAMES.length);
    const both = await Promise.all([
      append(accountId, path, 0, NAMES),
      append(accountId, path, 0, NAMES),
    ]);
    expect(both.map(({ status }) => status).sort()).not.toEqual([204, 204]);
    const read = await under.endOfUpload(accountId, path.split('/').at(-1)!);
    expect(read).toMatchObject({ counts: COUNTED, received_bytes: NAMES.length });
  });

  it('S85: a request from another account does not take the lock away', async () => {
    const path = await create(newId(), 10);
    const id = path.split('/').at(-1)!;
    const holds = `insert into upload_locks (upload_id, holder, locked_until)
      values ($1, $2, now() + interval '1 hour')`;
    await under.database.query(holds, [id, newId()]);
    const stranger = newId();
    const headers = TUS;
    const answers = [
      await under.send('HEAD', path, { accountId: stranger, headers }),
      await under.send('DELETE', path, { accountId: stranger, headers }),
      await append(stranger, path, 0, 'x'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const wanted = 'select is_wanted from upload_locks where upload_id = $1';
    expect(await under.database.query(wanted, [id])).toEqual([{ is_wanted: false }]);
  });

  it('an upload that is too long gets 413, one with an unknown id gets 404, and an upload can be deleted', async () => {
    const accountId = newId();
    const headers = { ...TUS, 'upload-length': String(1024 ** 3) };
    expect((await under.send('POST', PATH, { accountId, headers })).status).toBe(413);
    const wrong = await under.send('HEAD', `${PATH}/a`, { accountId, headers: TUS });
    expect(wrong.status).toBe(404);
    const path = await create(accountId, 10);
    await append(accountId, path, 0, 'abc');
    const deleted = await under.send('DELETE', path, { accountId, headers: TUS });
    expect(deleted.status).toBe(204);
    expect((await append(accountId, path, 3, 'abc')).status).toBe(404);
    const id = path.split('/').at(-1)!;
    await waitFor('the bytes to go', async () => (await under.filesOf(id)).length === 0);
  });
});

it('an erased account leaves no upload, no name and no file', async () => {
  const accountId = newId();
  const { id } = await under.upload(accountId, NAMES);
  await under.endOfUpload(accountId, id);
  await under.database.transaction((transaction) => under.accounts.erase(transaction, accountId));
  const list = await under.gateway.call('GET', PATH, { accountId });
  expect(list).toMatchObject({ uploads: [] });
  const left = await under.database.query('select from name_lines where list_id = $1', [id]);
  expect(left).toEqual([]);
});

it('an upload that is unused for seven days is deleted', async () => {
  const accountId = newId();
  const { id } = await under.upload(accountId, NAMES);
  await under.endOfUpload(accountId, id);
  under.clock.advance(7 * 24 * 3_600_000 + 1);
  const { ExpireUploadsJob } = await import('../upload-reading/expire-uploads.job.js');
  await under.worker.app.get(ExpireUploadsJob, { strict: false }).runOnce();
  // The worker's own job may have removed the upload.
  await waitFor('the upload to be gone', async () => {
    const asked = under.gateway.call('GET', `${PATH}/${id}`, { accountId });
    return asked.then(
      () => false,
      ({ status }: { status: number }) => status === 404,
    );
  });
});
