// Package export writes the tables of the index as Parquet files, for DuckDB, ClickHouse and Spark.
//
// Every table is a file of its own name, all of one moment. Columns are texts, whole numbers and booleans, in the order of
// their names; times are milliseconds since 1970. A file appears whole or not at all.
package export
