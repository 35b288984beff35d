/** `+32,418`, `−1,405`: a sign always, and a real minus. */
export function signed(value: number): string {
  const digits = Math.abs(Math.round(value)).toLocaleString('en');
  if (value === 0) return '0';
  return value > 0 ? `+${digits}` : `−${digits}`;
}

/** Short for axes and headlines: `+401.0 M`. */
export function signedShort(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return signed(value);
  const [divisor, unit] = size >= 1_000_000 ? [1_000_000, 'M'] : [1_000, 'k'];
  return `${value > 0 ? '+' : '−'}${(size / divisor).toFixed(1)} ${unit}`;
}

/** `96.4%`, `−2,286%`: one digit behind the point where it says something. */
export function share(part: number): string {
  const size = Math.abs(100 * part);
  const digits = size >= 1_000 ? plain(size) : size.toFixed(1);
  return `${part < 0 ? '−' : ''}${digits}%`;
}

export function plain(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en', { hour12: false });
}

/** From here on, an amount is rounded to its first digit. */
const ONE_CENT = 0.01;

const LEAST_DOLLARS = 0.0001;

/** `+$117`, `−$0.42`, `−$0.003`: cents only where they matter, and never a loss that looks like none. */
export function money(dollars: number): string {
  const size = Math.abs(dollars);
  if (size === 0) return '$0';
  const sign = dollars > 0 ? '+' : '−';
  if (size < LEAST_DOLLARS) return `${sign}<$${LEAST_DOLLARS}`;
  if (size < ONE_CENT) return `${sign}$${Number(size.toPrecision(1))}`;
  const digits = size.toLocaleString(
    'en',
    size < 10 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumFractionDigits: 0 },
  );
  return `${sign}$${digits}`;
}
