/** Switches the axes of charts to logarithmic ones and back. */
export function LogarithmicButton(props: {
  isLogarithmic: boolean;
  /** Called with what the user changes. */
  onChange: (change: { isLogarithmic: boolean | undefined }) => void;
}) {
  const { isLogarithmic, onChange } = props;
  return (
    <button
      type="button"
      aria-pressed={isLogarithmic}
      onClick={() => onChange({ isLogarithmic: !isLogarithmic || undefined })}
    >
      Logarithmic
    </button>
  );
}
