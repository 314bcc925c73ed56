"""What goes wrong for people who call models, and the test that answers each.

An entry of the public list is known by the first eight digits of the SHA-256 of its symptom.
"""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

ANSWERED = {
    # Schemas as servers take them.
    "2a2baba1": ["unit/schema/test_strict.py::test_why_a_schema_is_not_strict"],
    "f30f36e9": ["unit/schema/test_strict.py::test_what_the_form_refuses_moves_to_the_words"],
    "71250a0f": ["unit/schema/test_strict.py::test_why_a_schema_is_not_strict"],
    "e2bb02d9": ["unit/schema/test_strict.py::test_options_are_told_by_the_value"],
    "351c9399": ["unit/schema/test_json_shape.py::test_recursion_and_anchors"],
    "5e8c3be3": ["unit/schema/test_dialects.py::test_why_anthropic_is_not_strict"],
    "566d5eb8": ["unit/schema/test_dialects.py::test_gemini_says_in_words_what_it_ignores"],
    "4aa01ac0": ["unit/schema/test_strict_targets.py::test_limits_of_each_provider"],
    "1be635e0": [
        "unit/tools/test_phases.py::test_a_tool_that_is_not_strict_goes_with_a_strict_schema"
    ],
    # Servers that do something else than what was asked.
    "29408601": [
        "unit/adapters/test_ladder.py::test_a_reply_is_judged_whatever_was_asked_of_the_server",
        "unit/wire/test_repairs.py::test_a_recursive_schema",
        "unit/schema/test_strict_targets.py::test_depth_goes_through_references",
    ],
    "c722cc0f": [
        "unit/adapters/test_ladder.py::test_a_reply_is_judged_whatever_was_asked_of_the_server"
    ],
    "3b683fdd": [
        "unit/adapters/test_ladder.py::test_a_reply_is_judged_whatever_was_asked_of_the_server"
    ],
    "3a0217d3": ["e2e/test_servers.py::test_llama_cpp_takes_a_conversation_over_responses"],
    "c11fe86f": ["unit/adapters/test_ladder.py::test_the_responses_api_steps_down_too"],
    "40c80a74": [
        "unit/wire/test_exchange.py::test_a_gateway_says_429_in_a_good_answer",
        "unit/wire/test_faults.py::test_an_error_beside_null_choices",
    ],
    # Replies that are no answer.
    "0baf7634": ["unit/wire/test_faults.py::test_a_cut_off_reply_gets_one_larger_budget"],
    "d2659c71": ["unit/wire/test_faults.py::test_a_cut_off_reply_gets_one_larger_budget"],
    "1bd08086": ["unit/wire/test_faults.py::test_only_reasoning"],
    "37449e4d": ["unit/wire/test_faults.py::test_a_refusal"],
    "b8f10112": ["unit/wire/test_faults.py::test_fences"],
    "06164941": [
        "unit/wire/test_faults.py::test_fences",
        "unit/wire/test_faults.py::test_thoughts_before_the_answer",
    ],
    "8c2c5ad8": ["unit/wire/test_faults.py::test_a_cut_off_reply_gets_one_larger_budget"],
    "7431f4b5": ["unit/wire/test_faults.py::test_what_is_never_taken_for_an_answer"],
    "830ece5e": ["unit/values/test_models_and_fits.py::test_numbers_are_finite"],
    "d564364e": [
        "unit/values/test_bind.py::test_booleans_are_never_made",
        "unit/wire/test_faults.py::test_what_is_never_taken_for_an_answer",
    ],
    # Replies that need mending.
    "4bf4e349": ["unit/wire/test_repairs.py::test_the_fence_whose_content_fits_is_taken"],
    "1c0737a6": ["unit/wire/test_repairs.py::test_a_repair_is_named"],
    "ccb2fe79": [
        "unit/wire/test_repairs.py::test_what_is_read",
        "unit/wire/test_repairs.py::test_nothing_is_guessed",
    ],
    "ccdcbba5": ["unit/wire/test_repairs.py::test_what_is_read"],
    # Streams.
    "1120b96c": [
        "unit/wire/test_streaming.py::test_a_bad_end_is_said",
        "unit/function/test_streams.py::test_refusals_and_cut_offs_are_as_in_a_call",
    ],
    "b97e0f69": [
        "unit/wire/test_partial.py::test_what_is_not_whole_is_not_shown",
        "unit/wire/test_partial.py::test_classes_are_made_of_what_is_whole",
    ],
    "1ffa8df8": [
        "unit/wire/test_streaming.py::test_what_breaks_early_is_tried_again",
        "unit/wire/test_streaming.py::test_what_breaks_late_is_said",
    ],
    # Tools.
    "32ecd94b": ["unit/tools/test_running.py::test_what_a_model_gets_wrong"],
    "f05b4153": ["unit/tools/test_running.py::test_what_a_model_gets_wrong"],
    "bdd5a17f": ["unit/tools/test_loop.py::test_the_history_is_json_whatever_a_model_wrote"],
    "178fb89d": [
        "unit/tools/test_phases.py::test_tools_first_and_the_schema_last",
        "unit/tools/test_phases.py::test_a_server_that_was_thought_to_do_both_says_no",
        "e2e/test_tools_over_servers.py::test_llama_cpp_answers_where_tools_are_offered",
    ],
    "4f92b5de": ["unit/adapters/test_layouts.py::test_a_call_of_the_tool"],
    # Time.
    "3ed7ab21": [
        "unit/wire/test_exchange.py::test_waits_as_long_as_the_server_asks",
        "unit/wire/test_limits.py::test_a_server_that_asks_for_rest_gets_it_from_everyone",
    ],
    "3f7bf90c": [
        "unit/wire/test_faults.py::test_a_storm_of_500_meets_the_deadline",
        "unit/wire/test_fallback.py::test_one_deadline_for_all",
    ],
    "a6e7ac1f": [
        "unit/resolve/test_functions.py::test_settings_of_the_function_lie_over_the_file_s",
        "unit/wire/test_exchange.py::test_one_slow_request_is_not_the_whole_call",
    ],
    # Loops, processes, connections.
    "2b39f8b1": ["unit/wire/test_clients.py::test_three_runs_in_a_row"],
    "2a614475": [
        "unit/wire/test_clients.py::test_a_plain_call_inside_a_running_loop",
        "e2e/test_notebook.py::test_every_form_of_a_call",
    ],
    "20f6e219": [
        "unit/wire/test_clients.py::test_children_of_a_fork_never_get_each_others_answers",
        "unit/wire/test_cache.py::test_one_flight_for_processes",
    ],
    "ec780f2b": ["e2e/test_callables.py::test_another_process_calls_it_with_its_options"],
    "f224b1d1": ["e2e/test_celery.py::test_its_result_is_kept_pickled"],
    "d6a65181": [
        "unit/wire/test_direct.py::test_many_more_in_flight_than_the_sdk_keeps",
        "unit/wire/test_limits.py::test_calls_in_flight_of_threads_and_tasks_together",
    ],
    "a6a0a830": ["unit/wire/test_fakes.py::test_the_sample_model_needs_no_sdk"],
    "97cbb656": ["unit/function/test_calls.py::test_calls_make_no_classes"],
    "85192350": ["e2e/test_standalone.py::test_it_runs_with_pydantic_and_openai_alone"],
    # Files.
    "2392eac4": [
        "unit/function/test_batch_files.py::test_a_request_a_row",
        "e2e/test_batch_api.py::test_there_and_back",
    ],
    "57315e6f": ["unit/function/test_calls.py::test_a_package_of_a_later_format_says_what_to_do"],
    "4c2ce9a6": ["unit/emit/test_render.py::test_formatting_and_linting_change_nothing"],
}


@cache
def functions(path: str) -> frozenset[str]:
    """The test functions of a module."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


@pytest.mark.parametrize("place", sorted({place for each in ANSWERED.values() for place in each}))
def test_the_test_is_there(place: str) -> None:
    path, _, name = place.partition("::")
    assert name in functions(path)


def test_every_entry_is_answered_once(cases: Path) -> None:
    lines = (cases / "pains.jsonl").read_text(encoding="utf-8").splitlines()
    found = {json.loads(line)["symptom"] for line in lines if line.strip()}
    known = {hashlib.sha256(symptom.encode()).hexdigest()[:8]: symptom for symptom in found}
    assert set(known) == ANSWERED.keys(), known
