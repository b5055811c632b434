/** An invalid setting. The message is one line with the variable, the given value and the allowed values. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}
