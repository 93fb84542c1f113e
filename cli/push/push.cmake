# cli/push: see README.md. Adds made files to `cli_push`, and libraries to PP_PUSH_LIBS.
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(CURL IMPORTED_TARGET libcurl)
set(PP_PUSH_LIBS PkgConfig::ZLIB)
if(CURL_FOUND)
  # Its headers only: http.c loads the library when it is needed.
  set_source_files_properties(push/http.c push/curl_api.c PROPERTIES INCLUDE_DIRECTORIES "${CURL_INCLUDE_DIRS}")
  list(REMOVE_ITEM cli_push push/http_absent.c)
else()
  message(STATUS "libcurl was not found (Debian: libcurl4-openssl-dev): passprobe push cannot reach a server")
  list(REMOVE_ITEM cli_push push/http.c)
endif()
# The tables on a server, which the command creates.
set(made ${PP_GENERATED_DIR}/cli/push_schema_1.c)
add_custom_command(OUTPUT ${made}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/gen_text.py ${made} cli/push/push_schema.h pp_push_schema_1
          ${CMAKE_CURRENT_SOURCE_DIR}/push/sql/clickhouse/schema-1.sql
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen_text.py push/sql/clickhouse/schema-1.sql VERBATIM)
list(APPEND cli_push ${made})
# The question of `diff`, which the command asks.
set(made ${PP_GENERATED_DIR}/cli/fleet_run_figures.c)
add_custom_command(OUTPUT ${made}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/gen_text.py ${made} cli/push/server_answer.h pp_fleet_run_figures
          ${CMAKE_CURRENT_SOURCE_DIR}/push/sql/clickhouse/run_figures.sql
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen_text.py push/sql/clickhouse/run_figures.sql VERBATIM)
list(APPEND cli_push ${made})
# SQL for users. The build tree has the same files as what is installed: share/passprobe/sql.
file(GLOB_RECURSE sql CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/push push/sql/*.sql)
set(shared_sql)
foreach(name ${sql})
  set(copy ${CMAKE_BINARY_DIR}/share/passprobe/${name})
  add_custom_command(OUTPUT ${copy}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/push/${name} ${copy}
    DEPENDS push/${name} VERBATIM)
  list(APPEND shared_sql ${copy})
endforeach()
# The replicated form of the tables.
set(replicated ${CMAKE_BINARY_DIR}/share/passprobe/sql/clickhouse/schema-1-replicated.sql)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/passprobe/sql/clickhouse)
add_custom_command(OUTPUT ${replicated}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/gen_replicated_sql.py ${replicated}
          ${CMAKE_CURRENT_SOURCE_DIR}/push/sql/clickhouse/schema-1.sql
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen_replicated_sql.py push/sql/clickhouse/schema-1.sql VERBATIM)
add_custom_target(push_shared_sql ALL DEPENDS ${shared_sql} ${replicated})
install(FILES ${replicated} DESTINATION ${CMAKE_INSTALL_DATADIR}/passprobe/sql/clickhouse)
install(DIRECTORY push/sql DESTINATION ${CMAKE_INSTALL_DATADIR}/passprobe FILES_MATCHING PATTERN "*.sql")
