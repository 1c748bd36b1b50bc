import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

const JPRS: Grammar = {
  tlds: ['jp'],
  dates: { order: 'ymd', offsetMinutes: 540, keepsOffset: true },
  keys: {
    '@registrant': ['contact information', '公開連絡窓口'],
    'registrant.organization': ['organization', '組織名'],
    '>admin': ['administrative contact', '登録担当者'],
    '>tech': ['technical contact', '技術連絡担当者'],
    domain: ['domain name', 'ドメイン名'],
    nameServer: ['name server', 'ネームサーバ'],
    created: ['created on', 'registered date', '登録年月日'],
    expires: ['expires on', '有効期限'],
    updated: ['last updated', 'last update', '最終更新'],
    status: ['status', 'state', '状態'],
  },
};

const MYNIC: Grammar = {
  tlds: ['my'],
  dates: DAY_FIRST,
  headerIsHandle: true,
  keys: {
    '@nameServers': ['primary name server', 'secondary name server'],
    created: ['record created'],
    expires: ['record expired'],
    updated: ['record last modified'],
    '-': ['invoicing party', 'registration no'],
  },
};

export const ASIA_PACIFIC: readonly Grammar[] = [
  JPRS,
  MYNIC,
  {
    tlds: ['kr'],
    dates: { order: 'ymd', offsetMinutes: 540 },
    lastRecordCounts: true,
  },
  { tlds: ['to'], hostPerLine: true },
  { tlds: ['cn', 'mo'], dates: { order: 'ymd', offsetMinutes: 480 } },
  {
    tlds: ['tw'],
    dates: { order: 'ymd', offsetMinutes: 480, keepsOffset: true },
  },
  {
    tlds: ['th', 'hk', 'sg', 'id', 'in', 'bn', 'lk', 'np', 'pk', 'fj', 'au', 'nz'],
    dates: DAY_FIRST,
  },
  {
    tlds: ['il'],
    looseParty: 'registrant',
    lastUpdateLast: true,
    dates: DAY_FIRST,
    keys: { 'registrant.line': ['descr'], '-': ['zone c', 'reg name', 'query'] },
  },
  { tlds: ['ir'], keys: { '-': ['remarks'] } },
  { tlds: ['nc'], address: ['cityLine', 'country'], keys: { nameServer: ['domain server'] } },
  { tlds: ['hm', 'gs'], dates: DAY_FIRST },
  { tlds: ['tk'], dates: { order: 'mdy' }, keys: { '@registrant': ['organisation'] } },
];
