"""Reads files of results, one for each line of its input, and prints each as a line of JSON: the columns with their types, and the rows."""

import json
import sys

import pandas

TEXTS = {"asset_id", "asset_name", "value_date", "value_date_utc", "metric"}


def with_types(path):
    names = pandas.read_csv(path, nrows=0).columns
    numbers = [name for name in names if name not in TEXTS]
    # As a number, a 64-bit integer beside a null would become a double.
    types = {name: str if name in TEXTS or name == "asset_version" else "float64" for name in names}
    return pandas.read_csv(
        path,
        dtype=types,
        keep_default_na=False,
        na_values={name: [""] for name in numbers},
        float_precision="round_trip",
    )


def of_frame(frame):
    columns = [[name, str(frame[name].dtype)] for name in frame.columns]
    return columns, frame.itertuples(index=False, name=None)


def of_table(path):
    import pyarrow
    from pyarrow import ipc, parquet

    if path.endswith(".parquet"):
        table = parquet.read_table(path)
    else:
        with open(path, "rb") as file:
            content = file.read()
        table = ipc.open_file(content).read_all()
        # Behind its first eight bytes, a file is a stream.
        assert ipc.open_stream(pyarrow.BufferReader(content[8:])).read_all().equals(table)
    table.validate(full=True)
    columns = [[field.name, str(field.type)] for field in table.schema]
    return columns, zip(*(values_of(column) for column in table.columns))


def values_of(column):
    import pyarrow

    # Python's dates and times have fewer years and digits.
    if pyarrow.types.is_date(column.type):
        return column.cast(pyarrow.string()).to_pylist()
    if pyarrow.types.is_timestamp(column.type):
        nanoseconds = {"ms": 1_000_000, "us": 1_000, "ns": 1}[column.type.unit]
        return [value and value * nanoseconds for value in column.cast(pyarrow.int64()).to_pylist()]
    return column.to_pylist()


def plain(value):
    if pandas.isna(value):
        return None
    # JSON has no integers of 64 bits.
    return value if isinstance(value, (str, float)) else str(value)


def read(how, file):
    if how == "types":
        return of_frame(with_types(file))
    if how == "csv":
        return of_frame(pandas.read_csv(file))
    if how == "ndjson":
        return of_frame(pandas.read_json(file, lines=True, convert_dates=False))
    return of_table(file)


for line in sys.stdin:
    columns, rows = read(*json.loads(line))
    print(json.dumps({"columns": columns, "rows": [[plain(value) for value in row] for row in rows]}), flush=True)
