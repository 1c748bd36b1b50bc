/** The rows of QWERTY, QWERTZ and AZERTY keyboards. The neighbours of a key are next to it, above it and below it. */
const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
];

/** The keys that a finger may hit in place of another, on any of these keyboards. */
export const NEIGHBOURS: ReadonlyMap<string, string> = neighbours();

function neighbours(): Map<string, string> {
  const found = new Map<string, Set<string>>();
  for (const rows of KEYBOARDS) {
    rows.forEach((row, at) => {
      [...row].forEach((key, place) => {
        const near = [rows[at - 1], row, rows[at + 1]]
          .map((one) => one?.slice(Math.max(0, place - 1), place + 2) ?? '')
          .join('');
        const all = found.get(key) ?? new Set();
        for (const one of near) if (one !== key) all.add(one);
        found.set(key, all);
      });
    });
  }
  return new Map([...found].map(([key, all]) => [key, [...all].join('')]));
}

/**
 * ASCII letters, digits and pairs of letters, each with those that look like it. Look-alikes in other scripts are found
 * by their appearance.
 */
export const LOOK_ALIKES: Readonly<Record<string, readonly string[]>> = {
  '0': ['o'],
  '1': ['l', 'i'],
  '2': ['z'],
  '3': ['8', 'e'],
  '4': ['a'],
  '5': ['s'],
  '6': ['9', 'b'],
  '7': ['t'],
  '8': ['3', 'b'],
  '9': ['6', 'g'],
  a: ['4'],
  b: ['d', 'lb', '8', '6'],
  c: ['e'],
  d: ['b', 'cl', 'dl'],
  e: ['c', '3'],
  g: ['q', '9'],
  h: ['lh'],
  i: ['1', 'l', 'j'],
  j: ['i'],
  k: ['lc'],
  l: ['1', 'i'],
  m: ['n', 'nn', 'rn'],
  n: ['m', 'r'],
  o: ['0'],
  q: ['g'],
  s: ['5'],
  t: ['7'],
  u: ['v'],
  v: ['u'],
  w: ['vv'],
  z: ['2'],
  rn: ['m'],
  nn: ['m'],
  cl: ['d'],
  vv: ['w'],
};

export const WORDS =
  'access account accounts admin agree alert app apps assist auth bank billing blog careers cdn center check choose claim cl click cloud confirm confirmation connect contact customer delivery download email enroll find free gift help helpdesk home http https https-www info install invoice live login logon mail manage mobile my new news now official online order pay payment payments portal promo recovery refund register reset reward safe sale secure security server service services shop signin sso ssl staff store summary support team tracking unlock update user validate verification verify vip wallet web webmail view ww www'.split(
    ' ',
  );

/** Suffixes under which most other names with the same label are registered. */
export const SUFFIXES =
  'com net org info biz de co.uk org.uk me.uk uk fr nl eu it es pl ch at be se no dk fi pt ie gr cz sk hu ro bg hr si lt lv ee ru ua by kz tr il ae sa in co.in cn com.cn hk com.hk tw com.tw jp co.jp kr sg com.sg my com.my th vn id ph pk au com.au net.au nz co.nz za co.za ng ke eg ma br com.br ar com.ar mx com.mx cl pe co us ca io ai app dev me tv cc ws pro name mobi asia tel xyz top site online store shop tech space website live life club icu vip work fun click link world today cloud digital agency email group team network systems solutions services support center help news media global one plus zone run host press blog wiki win bid loan men date download stream racing review trade party science cam buzz rest bar cfd sbs bond lol quest gq tk ml ga cf'.split(
    ' ',
  );
