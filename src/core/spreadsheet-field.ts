import { csvField } from './csv-field.ts';
import { DateParser, hasYearOfFourDigits, USUAL_DAY_LENGTH } from './dates.ts';

/** Fields of CSV that a spreadsheet shows as they are. Texts come from other people, and spreadsheets guess what they are. */

/**
 * A text. An apostrophe precedes one that a spreadsheet would run as a formula, or change because it looks like a number, a date or
 * another value; and one with an apostrophe, so that what follows the first apostrophe is the text.
 */
export function spreadsheetField(text: string): string {
  return csvField(isChanged(text) ? `'${text}` : text);
}

/** The digits of an integer. Of more than 15, spreadsheets make zeros. */
export function spreadsheetInteger(digits: string): string {
  return digits.replace('-', '').length > MAX_DIGITS ? `'${digits}` : digits;
}

/** The name of a column of dates. Spreadsheets know no time zones. */
export function spreadsheetDateColumn(name: string): string {
  return `${name}_utc`;
}

const MAX_DIGITS = 15;

/** The lengths of a date-time as RFC 3339 without an offset, with milliseconds and without. */
const SECONDS_LENGTH = 19;
const MILLISECONDS_LENGTH = 23;

const parser = new DateParser();

/**
 * A date of a row as spreadsheets read it, in UTC: `2024-03-01 12:00:00`, with milliseconds if it has some, or the first day of a day, a
 * month or a year. What cannot be read is a text.
 */
export function spreadsheetDate(date: string): string {
  if (!parser.parseText(date)) return spreadsheetField(date);
  const { milliseconds, isDay } = parser;
  if (isDay && date.length === USUAL_DAY_LENGTH) return date;
  if (!hasYearOfFourDigits(milliseconds)) return spreadsheetField(date);
  const text = new Date(milliseconds).toISOString().replace('T', ' ');
  if (isDay) return text.slice(0, USUAL_DAY_LENGTH);
  return text.slice(0, milliseconds % 1000 === 0 ? SECONDS_LENGTH : MILLISECONDS_LENGTH);
}

/** An integer that a spreadsheet shows with the same digits. */
const plainInteger = /^(?:0|[1-9]\d{0,14})$/;

/** What spreadsheets may skip before and in a value: white space at its ends, and characters that nobody sees. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu;
const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;
/** The part of a text that is looked at, so that a long one takes no longer. */
const MAX_LENGTH = 1000;

/** A formula, a number with a sign, a logical value, or an error. */
const formulaOrName = /^(?:[=+\-@]|(?:true|false|#n\/a|#[a-z]+(?:\/0)?[!?])$)/;

/** The digits and signs of numbers, amounts, percentages, fractions, dates and times in many languages. */
const signs = String.raw`\p{Nd}\p{Sc}\s.,:;/%'’()\u2212\-`;
const values = [
  // 01001, 1-2, 12:30, 50 %, $ 5, (7), 1 000, 3月1日
  new RegExp(`^[${signs}年月日時分秒년월일]+$`, 'u'),
  // 3E5
  /^[\p{Nd}.,]+ ?e ?[-+]?\p{Nd}+$/u,
  // 5 pm
  /^[\p{Nd}:. ]+(?: [ap]|[ap]\.?m\.?)$/u,
  // 2024-03-01T12:00:00Z
  /^\p{Nd}{4}-?\p{Nd}{2}-?\p{Nd}{2}[t ][\p{Nd}:.,]+ ?(?:z|[-+][\p{Nd}:]+)?$/u,
];

/** A word among such signs: 1-Mar, MARCH1, 5 EUR. */
const wordAmongSigns = new RegExp(`^[${signs}]*(\\p{L}+)[${signs}]*$`, 'u');
const currencies = new Set('eur usd gbp chf jpy cny inr sek nok dkk pln czk kr zł kč'.split(' '));
/** In English, German, French, Spanish, Italian, Portuguese and Dutch. */
const months = [
  'january february march april may june july august september october november december',
  'januar jänner februar märz mai juni juli oktober dezember',
  'janvier février mars avril juin juillet août septembre octobre novembre décembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre',
  'janeiro fevereiro março maio junho julho setembro outubro novembro dezembro',
  'januari februari maart mei augustus',
].flatMap((names) => names.split(' '));
/** Spreadsheets know a month by its first three letters or more. */
const MIN_MONTH_LENGTH = 3;

/** Whether a spreadsheet may change a text, or run it. */
function isChanged(text: string): boolean {
  if (plainInteger.test(text)) return false;
  if (/^['\t\r\n]/.test(text)) return true;
  const start = Math.max(0, text.search(visible));
  const part = text.slice(start, start + MAX_LENGTH);
  const seen = part.normalize('NFKC').replace(invisible, '').trim().toLowerCase();
  if (formulaOrName.test(seen)) return true;
  if (!/\p{Nd}/u.test(seen)) return false;
  if (values.some((value) => value.test(seen))) return true;
  const [, word = ''] = wordAmongSigns.exec(seen) ?? [];
  return currencies.has(word) || (word.length >= MIN_MONTH_LENGTH && months.some((month) => month.startsWith(word)));
}
