/**
 * Letters and digits that look like others, with their look-alikes: those from Unicode's confusables.txt that a domain
 * name can contain (UTS #39, version 10, © Unicode, Inc., https://www.unicode.org/license.txt), and letters that look
 * like small capitals. Letters with accents are not listed, because decomposition removes accents.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '2': 'ƻᒿꛯ',
  '3': 'ʒ\u{118ca}\u{16f3b}',
  '6': 'б\u{118d5}',
  '7': '\u{118c6}',
  '8': 'ȣ৪੪\u{1031a}\u{1e8cb}',
  '9': '৭੧୨൭\u{118cc}\u{118d6}',
  a: 'əɑαаᗅꓮ\u{102a0}\u{16f40}',
  aa: 'ꜳ',
  ae: 'æӕ',
  ao: 'ꜵ',
  au: 'ꜷ',
  av: 'ꜹꜻ',
  ay: 'ꜽ',
  b: 'ьƅʙƀƃɓѣҍᖯᗷꓐ\u{10282}\u{102a1}\u{10301}вßβ',
  c: 'ƈȼсҫᴄⲥꓚꮯ\u{102a2}\u{10302}\u{1043d}\u{1051c}\u{118e9}\u{118f2}',
  d: 'đƌɖɗԁᑯᗞᗪꓒꓓð',
  dz: 'ʣ',
  e: 'ɇеҽҿⴹꓰꬲ\u{10286}',
  f: 'ƒքᖴᵮẝꓝꞙꬵ\u{10287}\u{102a5}\u{10525}\u{118c2}',
  g: 'ԍɢƍǥɠɡցᶃꓖ',
  h: 'ⱨħɦћһհᕼꓧꚕ\u{102cf}н',
  i: 'ıɨɩɪιіᵻᵼꙇꭵ\u{118c3}',
  j: 'ɉϳјᒍꓙ',
  k: 'ĸⱪᴋƙᛕꓗ\u{10518}кκ',
  l: 'ӏłƚǀɫɭ\u05d5\u05df\u0625\u0627\u0661\u0673\u06f1\u07caᒪᛁⵏꓡꓲ\u{1028a}\u{10309}\u{10320}\u{10526}\u{16f16}\u{16f28}\u{1e8c7}',
  ll: 'ǁ\u05f0',
  ls: 'ʪ',
  lz: 'ʫ',
  m: 'ᴍᗰᛖꓟ\u{102b0}\u{10311}м',
  n: 'ꞑŋƞɳηոռᵰꓠ\u{10513}п',
  o: 'øɵθοσоѳөօ\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u06ff\u07c0०০੦૦ଠ୦௦౦೦ഠ൦๐໐တဝ၀ჿዐᴏᴑⲟⴱⵁⵔ〇ꓳꝋꬽꬾꭴꮎꮻ\u{10292}\u{102ab}\u{1042c}\u{104ea}\u{10516}\u{114d0}\u{118c8}\u{118d7}\u{118e0}',
  oe: 'œ',
  oo: 'ꚙꝏ',
  p: 'ƿƥρрᑭᵽⲣꓑ\u{10295}þ',
  q: 'ʠԛգզⵕ',
  r: 'ʀɍɼɽгғᖇᴦᵲⲅꓣꭇꭈꮁ\u{16f35}',
  rn: 'ɱᵯ\u{11700}\u{118e3}',
  s: 'ƽʂѕᵴꓢꜱꮪ\u{10296}\u{10448}\u{118c1}\u{16f3a}',
  t: 'ƫŧƭᵵꓔ\u{10297}\u{102b1}\u{10315}\u{16f0a}тτ',
  tf: 'ꝷ',
  ts: 'ʦ',
  u: 'ʉʋυսሀᑌᴜᵾꓴꞟꭎꭒꮜ\u{104f6}\u{118d8}\u{16f42}',
  ue: 'ᵫ',
  uo: 'ꭣ',
  v: 'ᶌⱴⱱνѵ\u05d8\u0667\u06f7ᐯᴠⴸꓦꛟꮩ\u{1051d}\u{11706}\u{118c0}\u{16f08}',
  w: 'ⱳɯѡѽԝաᴡꓪꝡꮃ\u{114c5}\u{1170a}\u{1170e}\u{1170f}\u{118e6}\u{118ef}',
  x: 'хᕁᕽᚷⵝꓫ\u{10290}\u{102b4}\u{10317}\u{10322}\u{10527}\u{118ec}',
  y: 'ƴɏɣʏγуүұყỿꓬꭚ\u{102b2}\u{118dc}\u{16f43}',
  z: 'ⱬƶȥʐᴢᵶꓜꮓ\u{102f5}\u{118c4}\u{118e5}',
};

const SHAPES = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([shape, letters]) =>
    [...letters].map((letter) => [letter, shape] as const),
  ),
);

/** Matches an ASCII label, which contains neither accents nor letters of other scripts. */
const PLAIN = /^[a-z0-9-]*$/;

/**
 * Returns the skeleton of a label: the Latin letters without accents that its letters look like. Labels that look alike
 * have the same skeleton.
 */
export function skeletonOf(label: string): string {
  if (PLAIN.test(label)) return label;
  const bare = label.normalize('NFD').replace(/\p{M}/gu, '');
  return [...bare].map((letter) => SHAPES.get(letter) ?? letter).join('');
}

/**
 * Returns a looser skeleton, which also replaces `i`, digits and pairs of letters with the ASCII letter that they look
 * like, as in `paypa1` and `rnicrosoft`.
 */
export function looseSkeletonOf(label: string): string {
  return skeletonOf(label)
    .replace(/0/g, 'o')
    .replace(/[1i]/g, 'l')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
    .replace(/5/g, 's')
    .replace(/3/g, 'e');
}
