import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { LookupOutcome } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

/** Servers of the tables, each with its statement about an unregistered name; `NAME` stands for the name. */
const SERVERS: readonly (readonly [tld: string, server: string, absent: string])[] = [
  ['com', 'whois.verisign-grs.com', 'No match for "NAME".'],
  ['shop', '', 'The queried object does not exist: DOMAIN NOT FOUND'],
  ['org', '', 'Domain not found.'],
  ['de', 'whois.denic.de', 'Domain: NAME\nStatus: free'],
  ['fr', 'whois.nic.fr', '%% No entries found in the AFNIC Database.'],
  ['uk', 'whois.nic.uk', '    No match for "NAME".'],
  ['dk', 'whois.punktum.dk', 'No entries found for the selected source.'],
  ['sn', '', 'NAME NOT FOUND'],
  ['to', 'whois.tonic.to', 'No match for LABEL'],
  [
    'ie',
    '',
    '% Not Registered - The domain you have requested (NAME) is not a registered .ie domain.',
  ],
  [
    'kr',
    'whois.kr',
    'query : NAME\n\n상기 도메인이름은 등록되어 있지 않습니다.\n\nThe requested domain was not found in the Registry or Registrar’s WHOIS Server.',
  ],
  ['cn', 'whois.cnnic.cn', 'No matching record.'],
  ['jp', 'whois.jprs.jp', 'No match!!'],
  ['hr', '', '%ERROR: no entries found'],
  ['rs', '', '%ERROR:103: Domain is not registered'],
  ['hu', '', 'Nincs találat / No match'],
  ['test', '', 'Not found: NAME'],
];
const LABEL = 'sample-shop';
const HOSTILE_ANSWERS = 'test/eval-whois/hostile-answers.txt';

/** The rows of the table of hostile answers, by kind; the first lines of the table explain the notation. */
const KINDS = new Map(
  readFileSync(HOSTILE_ANSWERS, 'utf8')
    .split('\n## ')
    .slice(1)
    .map((part) => part.trimEnd().split('\n'))
    .map(([kind, ...texts]) => [kind, texts] as const),
);

const LIMIT_NOTICES = [
  'Ha excedido el límite de consultas',
  'Límite de consultas excedido',
  'Demasiadas solicitudes desde su dirección',
  'Inténtelo más tarde',
  'Limite de pesquisas excedido',
  'Muitas consultas, tente novamente mais tarde',
  'Vous avez dépassé le nombre de requêtes autorisé',
  'Trop de requêtes, veuillez réessayer plus tard',
  'Nombre maximal de requêtes atteint',
  'Superato il limite di richieste',
  'Troppe richieste, riprovare più tardi',
  'Zu viele Anfragen',
  'Abfragelimit überschritten',
  'Ihr Zugriff wurde gesperrt, bitte versuchen Sie es später erneut',
  'Te veel verzoeken',
  'Het maximum aantal aanvragen is bereikt',
  'För många förfrågningar',
  'Grænsen for forespørgsler er overskredet',
  'Przekroczono limit zapytań',
  'Zbyt wiele zapytań',
  'Překročen limit dotazů',
  'Príliš veľa požiadaviek, skúste znovu neskôr',
  'Preveč zahtevkov',
  'Túl sok lekérdezés',
  'Liian monta kyselyä',
  'Päringute limiit on ületatud',
  'Pārsniegts pieprasījumu skaits',
  'Viršytas užklausų limitas',
  'Sorgu sınırı aşıldı',
  'Çok fazla istek gönderildi',
  'Превышен лимит запросов',
  'Слишком много запросов',
  'Перевищено ліміт запитів',
  'Надвишен лимит на заявките',
  'Прекорачен број упита',
  'Υπέρβαση ορίου ερωτημάτων',
  'تم تجاوز الحد الأقصى للاستعلامات',
  'تعداد درخواست بیش از حد مجاز است',
  'חרגת ממכסת השאילתות',
  'เกินจำนวนครั้งที่กำหนด',
  'Đã vượt quá giới hạn truy vấn',
  'Terlalu banyak permintaan',
  '查询过于频繁，请稍后再试',
  '超过查询次数限制',
  '查詢次數已達上限',
  '問い合わせ回数の制限を超えました',
  '조회 한도를 초과하였습니다',
  '너무 많은 요청입니다',
];

function outcome(text: string, tld: string, server: string, absent = ''): LookupOutcome {
  const domain = `${LABEL}.${tld}`;
  const said = text
    .replaceAll('⏎', '\n')
    .replaceAll('ABSENT', absent)
    .replaceAll('OTHER', `another-shop.${tld}`)
    .replaceAll('NAME', domain)
    .replaceAll('LABEL', LABEL)
    .replaceAll('TLD', tld);
  return parseWhois(said, { domain, server, tld, role: 'registry' }).outcome;
}

describe('words of absence that say nothing about the name', () => {
  it('fill more than 700 rows', () => {
    expect([...KINDS.values()].flat().length).toBeGreaterThan(700);
  });

  describe.each([...KINDS])('%s', (kind, texts) => {
    it.each(SERVERS)('are never "not registered" at .%s %s', (tld, server, absent) => {
      const end = kind === 'cut off' ? '' : '\n';
      expect(
        texts.filter((it) => outcome(it + end, tld, server, absent) === 'not_registered'),
      ).toEqual([]);
    });
  });

  /** The servers with a statement of one line; a second line may repeat the statement. */
  const ONE_LINE = SERVERS.filter(([, , absent]) => !absent.includes('\n'));

  it.each(['ABSENT ...', 'ABSENT..', 'ABSENT…', 'ABSENT⏎...'])(
    '%s proves nothing, because it is cut off',
    (text) => {
      const free = ONE_LINE.filter(
        ([tld, server, absent]) => outcome(`${text}\n`, tld, server, absent) === 'not_registered',
      );
      expect(free).toEqual([]);
    },
  );

  it.each(['* ABSENT', '  * ABSENT', '*** ABSENT', '# * ABSENT', '(ABSENT)', '[ABSENT]'])(
    '%s proves nothing, because it is one line of several or a statement by another party',
    (text) => {
      const free = ONE_LINE.filter(
        ([tld, server, absent]) => outcome(`${text}\n`, tld, server, absent) === 'not_registered',
      );
      expect(free).toEqual([]);
    },
  );

  it('a line proves nothing if it continues after the part that is read', () => {
    for (const gap of [' ', '\t', '.']) {
      const text = `NAME not found${gap.repeat(300)}in the cache\n`;
      expect(outcome(text, 'test', '')).not.toBe('not_registered');
    }
  });

  it('a name under .si, which means "if" in Spanish, does not make a sentence conditional', () => {
    expect(outcome('Consultas excedidas para NAME⏎No match for NAME.\n', 'si', '')).toBe(
      'throttled',
    );
  });

  it('a notice about a limit means a rate limit, in any language', () => {
    const texts = LIMIT_NOTICES.flatMap((it) => [
      `${it}⏎⏎Not found`,
      `% ${it}.⏎No match for "NAME".`,
    ]);
    expect(texts.filter((it) => outcome(it, 'test', '') !== 'throttled')).toEqual([]);
  });
});

describe('S64: one line of 256 KiB after a statement of absence', () => {
  it.each([
    ['spaces', `x${' '.repeat(260_000)}y`],
    ['letters', 'a'.repeat(260_000)],
    ['question marks', `${'?'.repeat(260_000)}a`],
    ['full stops', `${'.'.repeat(260_000)}a`],
    ['ellipses', `${'…'.repeat(260_000)}a`],
    ['question marks in two runs', `${'?'.repeat(130_000)}a`.repeat(2)],
    ['sentences', 'A. '.repeat(86_000)],
    ['months', 'mon '.repeat(65_000)],
    ['colons', 'a:'.repeat(130_000)],
    ['words of marks', `a${'!'.repeat(198)}a `.repeat(1_300)],
    ['labels', `${'a.'.repeat(98)}! `.repeat(1_300)],
  ])('is read once and is not a notice: %s', (_name, line) => {
    // If matching started again at each character, one line would take minutes.
    const read = () => outcome(`Not found: NAME⏎${line}`, 'test', '');
    expect(runInNewContext('read()', { read }, { timeout: 20_000 })).not.toBe('not_registered');
  });
});

describe('each server’s statement about an unregistered name', () => {
  it.each(SERVERS)('means absence at .%s %s', (tld, server, absent) => {
    expect(outcome(`${absent}\n`, tld, server)).toBe('not_registered');
    expect(outcome(`Welcome to the .${tld} whois server\n\n${absent}\n\n`, tld, server)).toBe(
      'not_registered',
    );
    const print =
      '% Access to the whois service is rate limited.\n% See https://other.example/terms\n';
    expect(outcome(`${print}\n${absent}\n`, tld, server)).toBe('not_registered');
  });
});
